package unit

import "strconv"

// Counted puts a number before a word that forms its plural with s: "1 cell",
// "2 cells", "0 cells".
func Counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}
