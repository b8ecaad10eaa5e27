//! Pictures in pixels: what is drawn covers as much as it should, and every letter can be seen.

use std::io::Read;

use gristmill::plot::{DiagramNode, Figure, Grid, NodeColour, Panels};

/// The pixels of a PNG file of ours.
struct Pixels {
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

impl Pixels {
    fn of(png: &[u8]) -> Pixels {
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
        let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()) as usize;
        let (mut at, mut zipped, mut sides) = (8, vec![], (0, 0));
        while at < png.len() {
            let (length, name) = (number(at), &png[at + 4..at + 8]);
            let data = &png[at + 8..at + 8 + length];
            let mut sum = flate2::Crc::new();
            sum.update(&png[at + 4..at + 8 + length]);
            assert_eq!(sum.sum() as usize, number(at + 8 + length), "the checksum of {name:?}");
            match name {
                b"IHDR" => {
                    sides = (number(at + 8), number(at + 12));
                    assert_eq!(data[8..], [8, 2, 0, 0, 0]);
                }
                b"IDAT" => zipped.extend_from_slice(data),
                _ => {}
            }
            at += 12 + length;
        }
        let (width, height) = sides;
        let mut rows = vec![];
        flate2::read::ZlibDecoder::new(&zipped[..]).read_to_end(&mut rows).unwrap();
        assert_eq!(rows.len(), height * (width * 3 + 1));
        let mut bytes: Vec<u8> = vec![];
        for row in rows.chunks(width * 3 + 1) {
            assert_eq!(row[0], 2, "the filter");
            let above = bytes.len().checked_sub(width * 3);
            let byte = |at: usize| row[at + 1].wrapping_add(above.map_or(0, |above| bytes[above + at]));
            let line: Vec<u8> = (0..width * 3).map(byte).collect();
            bytes.extend(line);
        }
        Pixels { width, height, bytes }
    }

    fn at(&self, x: usize, y: usize) -> [u8; 3] {
        let at = (y * self.width + x) * 3;
        [self.bytes[at], self.bytes[at + 1], self.bytes[at + 2]]
    }

    /// How many pixels are covered by a colour whose red is 0, on white.
    fn covered(&self) -> f64 {
        self.bytes.chunks(3).map(|pixel| f64::from(255 - pixel[0]) / 255.0).sum()
    }

    /// How many pixels have just this colour.
    fn count(&self, colour: [u8; 3]) -> usize {
        self.bytes.chunks(3).filter(|pixel| *pixel == colour).count()
    }
}

#[test]
fn a_picture_has_two_pixels_for_each_and_the_same_bytes_each_time() {
    let figure = Figure::new().title("A curve").line("x²", (0..20).map(|x| (f64::from(x), f64::from(x * x))));
    let png = figure.to_png().unwrap();
    assert_eq!(png, figure.to_png().unwrap());
    let pixels = Pixels::of(&png);
    assert_eq!((pixels.width, pixels.height), (1120, 840));
    assert_eq!(pixels.at(0, 0), [255; 3]);
    assert!(pixels.count([0x00, 0x72, 0xb2]) > 2000, "the line in the colour of its series");
    assert!(pixels.count([0x22; 3]) > 300, "letters in the colour of ink");
    let panels = Panels::new(2).unwrap().figure(figure.clone()).figure(figure);
    assert_eq!(Pixels::of(&panels.to_png().unwrap()).width, 2240);
}

#[test]
fn shapes_cover_as_much_as_their_area() {
    let plain = |points: Vec<(f64, f64)>| {
        let figure = Figure::new().x_range(0.0, 10.0).unwrap().y_range(0.0, 10.0).unwrap();
        let drawn = Pixels::of(&figure.clone().scatter("", points).to_png().unwrap()).covered();
        drawn - Pixels::of(&figure.to_png().unwrap()).covered()
    };
    // The white edge takes a sixth of the radius, half of it inside; it also covers lines of the grid.
    let visible = std::f64::consts::PI * (4.0 - 4.0 / 12.0_f64).powi(2) * 4.0;
    let one = plain(vec![(5.3, 4.7)]);
    assert!((one - visible).abs() < 0.03 * visible, "{one} of {visible}");
    let far = plain(vec![(5.3, 4.7), (20.0, 3.0)]);
    assert!((far - one).abs() < 1.0, "a point outside the plane is cut off: {far}, {one}");
}

#[test]
fn bars_and_cells_have_their_colours() {
    let bars = Figure::new().bars(&["a", "b"], &[2.0, 1.0]).unwrap();
    let svg = bars.to_svg();
    let pixels = Pixels::of(&bars.to_png().unwrap());
    let blue = pixels.count([0x00, 0x72, 0xb2]) as f64;
    let rectangles: f64 = svg
        .split("<rect ")
        .filter(|tag| tag.contains("#0072b2"))
        .map(|tag| {
            let side = |name: &str| -> f64 {
                tag.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
            };
            4.0 * side("width") * side("height")
        })
        .sum();
    assert!((blue - rectangles).abs() < 0.02 * rectangles, "{blue} of {rectangles}");
    let grid = Grid::new((0.0, 1.0), (0.0, 1.0), 2, 1).unwrap();
    let regions = Pixels::of(&Figure::new().regions(&grid, &[0, 1]).unwrap().to_png().unwrap());
    // Two tints side by side and nothing between them.
    let middle = regions.height / 2;
    let tints: Vec<[u8; 3]> = (200..regions.width - 100).map(|x| regions.at(x, middle)).collect();
    let mut seen = tints.clone();
    seen.dedup();
    assert_eq!(seen.len(), 2, "{seen:?}");
}

#[test]
fn every_letter_can_be_seen() {
    let ink = |text: &str| {
        let figure = Figure::new().size(400, 160).unwrap().title(text);
        Pixels::of(&figure.to_png().unwrap()).count([0x22; 3])
    };
    let nothing = ink(" ");
    for letter in ('!'..='~').chain("äöüßéèñçšřłøæ…–−×±²µ·→≤≥αβλσΣ".chars()) {
        assert!(ink(&letter.to_string().repeat(3)) > nothing, "{letter}");
    }
    // Others are boxes, all alike.
    assert!(ink("漢") > nothing && ink("漢") == ink("й"));
    assert_ne!(ink("漢"), ink("a"));
}

#[test]
fn turned_texts_and_trees_are_drawn_and_large_pictures_stay_within_bounds() {
    let labelled = |label: &str| {
        let figure = Figure::new().y_label(label).line("", [(0.0, 0.0), (1.0, 1.0)]);
        let pixels = Pixels::of(&figure.to_png().unwrap());
        let column = |x: usize| (0..pixels.height).filter(|y| pixels.at(x, *y)[0] < 200).count();
        (0..36).map(column).sum::<usize>()
    };
    assert!(labelled("upward") > labelled(" ") + 100);
    let leaf = |name: &str| DiagramNode { lines: vec![name.into()], colour: NodeColour::Class(0), children: vec![] };
    let root = DiagramNode { children: vec![(1, "yes".into()), (2, "no".into())], ..leaf("raining?") };
    let tree = Figure::tree(&[root, leaf("stay"), leaf("play")], None);
    assert!(Pixels::of(&tree.to_png().unwrap()).count([0x22; 3]) > 300);
    // The first chunk says how large a picture is; unpacking this one would take longer than drawing it.
    let large = Figure::new().size(16_384, 16_384).unwrap().to_png().unwrap();
    let [width, height] = [16, 20].map(|at| u32::from_be_bytes(large[at..at + 4].try_into().unwrap()));
    assert!(width > 1000 && width * height <= 60_100_000, "{width}×{height}");
}
