package site

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"matrix/internal/table"
)

// scenario makes the pages of a scenario: its history with the list of its runs,
// and its last two runs compared.
func (p *pass) scenario(place string, of []*source) error {
	digest, err := p.digest(of)
	if err != nil {
		return err
	}
	home := place + "/" + indexName
	if was, known := p.old.Scenarios[place]; known && was.Digest == digest && p.there(was.Files) {
		p.now.Scenarios[place] = was
		return nil
	}
	made := scenario{Digest: digest, Files: []string{home}}
	newest := p.now.Runs[of[len(of)-1].id]
	view := scenarioView{
		head: head{Title: newest.Title, Feed: "../" + feedName, Ways: []table.Link{{Text: "All scenarios", Address: "../" + indexName}}},
		Runs: p.lines(of, "../", ""),
	}
	if newest.Title != newest.Scenario {
		view.Soft = "Scenario " + newest.Scenario + "."
	}
	if !newest.Unfinished && newest.Problem == "" {
		view.Lead = newest.Verdict
	}
	compared, err := p.comparison(place, of)
	if err != nil {
		return err
	}
	if compared {
		made.Files = append(made.Files, place+"/"+compareName)
		view.Ways = append(view.Ways, table.Link{Text: "The last two runs compared", Address: compareName})
	}
	if err := p.history(place, of, &view, &made); err != nil {
		return err
	}
	p.now.Scenarios[place] = made
	return p.render(home, "scenario", view)
}

// digest is of all that the pages of a scenario are made of.
func (p *pass) digest(of []*source) (string, error) {
	type part struct {
		ID  string
		Run run
	}
	parts := make([]part, len(of))
	for i, s := range of {
		parts[i] = part{s.id, p.now.Runs[s.id]}
	}
	text, err := json.Marshal([]any{p.now.Settings, parts})
	if err != nil {
		return "", fmt.Errorf("making the pages of a scenario: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
