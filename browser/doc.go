// Package browser opens result pages in a real browser: an address comes in,
// what the browser made of it goes out: values, pictures, and all that went
// wrong. It is a module of its own, so that the program depends on no browser,
// and makes its pages with the program itself.
package browser
