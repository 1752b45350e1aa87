package scenario

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// lookup finds the drafts that agree with a match without asking each of them:
// by label or setting, and by value, it knows the set of drafts. What a match
// costs follows from its terms, not from the product of terms and cells.
type lookup struct {
	drafts *[]*draft
	names  map[string]*posting
}

// posting holds, by value, the drafts that have it, by their places.
type posting struct {
	by   map[string]*roaring.Bitmap
	upTo int // drafts that are in it
}

func newLookup(drafts *[]*draft) *lookup {
	return &lookup{drafts: drafts, names: map[string]*posting{}}
}

// values are those of a term's label or setting, with the drafts of each.
func (l *lookup) values(t term) map[string]*roaring.Bitmap {
	p := l.names[t.name]
	if p == nil {
		p = &posting{by: map[string]*roaring.Bitmap{}}
		l.names[t.name] = p
	}
	for ; p.upTo < len(*l.drafts); p.upTo++ {
		v, ok := t.value((*l.drafts)[p.upTo])
		if !ok {
			continue
		}
		if p.by[v] == nil {
			p.by[v] = roaring.New()
		}
		p.by[v].Add(uint32(p.upTo))
	}
	return p.by
}

// term is the set of drafts that agree with a term. It is not the caller's to
// change.
func (l *lookup) term(t term) *roaring.Bitmap {
	by := l.values(t)
	var sets []*roaring.Bitmap
	for _, v := range t.values {
		if set := by[v]; set != nil {
			sets = append(sets, set)
		}
	}
	if len(sets) == 1 {
		return sets[0]
	}
	return roaring.FastOr(sets...)
}

// all is the set of drafts that agree with every term; with none, of all drafts.
func (l *lookup) all(terms []term) *roaring.Bitmap {
	if len(terms) == 0 {
		set := roaring.New()
		set.AddRange(0, uint64(len(*l.drafts)))
		return set
	}
	sets := make([]*roaring.Bitmap, len(terms))
	for i, t := range terms {
		sets[i] = l.term(t)
	}
	slices.SortFunc(sets, func(a, b *roaring.Bitmap) int { return int(a.GetCardinality()) - int(b.GetCardinality()) })
	return roaring.FastAnd(sets...)
}
