// Command screenshots takes pictures of result pages: pages come in as files,
// PNG files of the same names go out.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"

	"matrix/browser"
)

func main() {
	out := flag.String("o", ".", "folder to write to")
	width := flag.Int64("width", 1280, "of the window, in pixels")
	most := flag.Int64("most", 2400, "of a picture's height, in pixels")
	dark := flag.Bool("dark", false, "in dark colours")
	flag.Parse()
	if err := take(flag.Args(), *out, *most, browser.Look{Width: *width, Height: 900, Dark: *dark}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func take(pages []string, out string, most int64, look browser.Look) error {
	profile, err := os.MkdirTemp("", "screenshots-")
	if err != nil {
		return fmt.Errorf("making a profile: %w", err)
	}
	defer os.RemoveAll(profile)
	chrome, stop, err := browser.Start(context.Background(), profile)
	if err != nil {
		return err
	}
	defer stop()
	for _, page := range pages {
		abs, err := filepath.Abs(page)
		if err != nil {
			return fmt.Errorf("finding %s: %w", page, err)
		}
		name := filepath.Join(out, strings.TrimSuffix(filepath.Base(page), ".html")+".png")
		if err := one(chrome, "file://"+abs, name, most, look); err != nil {
			return err
		}
		fmt.Println(name)
	}
	return nil
}

func one(chrome context.Context, address, name string, most int64, look browser.Look) error {
	p, cancel, err := browser.Open(chrome, address, look)
	if err != nil {
		return err
	}
	defer cancel()
	shot, err := p.Picture(look.Width, most)
	if err != nil {
		return err
	}
	small, err := reduced(shot)
	if err != nil {
		return err
	}
	if err := os.WriteFile(name, small, 0o644); err != nil {
		return fmt.Errorf("writing a picture: %w", err)
	}
	return nil
}

// reduced is a picture in the 256 colours that it has most of, each pixel in the
// nearest: of text and lines that is hardly seen, and takes a third of the bytes.
func reduced(shot []byte) ([]byte, error) {
	full, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		return nil, fmt.Errorf("reading a picture: %w", err)
	}
	paletted := image.NewPaletted(full.Bounds(), palette(full))
	draw.Draw(paletted, full.Bounds(), full, full.Bounds().Min, draw.Src)
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, paletted); err != nil {
		return nil, fmt.Errorf("writing a picture: %w", err)
	}
	return out.Bytes(), nil
}

// palette is the commonest colours of a picture, of those that differ by little
// only one.
func palette(m image.Image) color.Palette {
	const near = 12 // per channel
	counts := map[color.RGBA]int{}
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, bl, _ := m.At(x, y).RGBA()
			counts[color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(bl >> 8), 255}]++
		}
	}
	list := commonest(counts)
	var chosen color.Palette
	for _, c := range list {
		if len(chosen) == 256 {
			break
		}
		if !closeTo(chosen, c, near) {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

func closeTo(chosen color.Palette, c color.RGBA, near int) bool {
	apart := func(x, y uint8) bool { d := int(x) - int(y); return d > near || d < -near }
	for _, o := range chosen {
		k := o.(color.RGBA)
		if !apart(k.R, c.R) && !apart(k.G, c.G) && !apart(k.B, c.B) {
			return true
		}
	}
	return false
}
