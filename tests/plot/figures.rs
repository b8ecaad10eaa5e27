//! What figures show.

use gristmill::metrics::{self, ConfusionMatrix};
use gristmill::plot::{self, Figure, Panels};
use gristmill::selection::stats::Sample;
use gristmill::selection::{Curve, Scoring};
use gristmill::{Error, Labels, Matrix, datasets};

use super::{check, count};

fn iris() -> gristmill::Result<Figure> {
    let iris = datasets::iris()?;
    Figure::new().title("Iris").scatter_classes(&iris.x, [2, 3], iris.labels()?)
}

#[test]
fn the_same_calls_give_the_same_bytes() -> gristmill::Result<()> {
    let make = || Ok::<_, Error>(Panels::new(2)?.title("Two").figure(iris()?).figure(iris()?).to_svg());
    let svg = make()?;
    check(&svg);
    assert_eq!(svg, make()?);
    Ok(())
}

#[test]
fn classes_have_their_own_marks_and_names() -> gristmill::Result<()> {
    let svg = iris()?.to_svg();
    check(&svg);
    for name in ["setosa", "versicolor", "virginica", "Iris"] {
        assert!(svg.contains(&format!(">{name}<")), "{name}");
    }
    // Fifty rows of setosa share 19 places; the legend has one mark more.
    let x = datasets::iris()?.x;
    let mut places: Vec<[u32; 2]> = (0..50).map(|row| [x.get(row, 2), x.get(row, 3)].map(f32::to_bits)).collect();
    places.sort_unstable();
    places.dedup();
    assert_eq!(count(&svg, "<circle "), places.len() + 1);
    Ok(())
}

#[test]
fn points_that_are_not_finite_are_left_out() {
    let wild = [(1.0, 2.0), (f64::NAN, 1.0), (2.0, f64::INFINITY), (1e200, 1.0), (3.0, 4.0)];
    let svg = Figure::new().scatter("", wild).line("", wild).centers("", wild).steps("", wild).to_svg();
    check(&svg);
    assert_eq!(count(&svg, "<circle "), 4); // two points, twice
    let bands = [(0.0, 0.0, 1.0), (1.0, f64::NAN, 1.0), (2.0, 0.5, 1.5)];
    check(&Figure::new().band(bands).line("", [(0.0, 0.5), (2.0, 1.0)]).to_svg());
}

#[test]
fn a_gap_breaks_a_line() {
    let svg = Figure::new().line("", [(0.0, 0.0), (1.0, 1.0), (2.0, f64::NAN), (3.0, 3.0), (4.0, 4.0)]).to_svg();
    let path = svg.split("<path d=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a path");
    assert_eq!((count(path, "M"), count(path, "L")), (2, 2));
}

#[test]
fn text_is_escaped() {
    let nasty = "a<b> & \"c\" 'd' \u{0}\u{8}\n]]>";
    let svg = Figure::new().title(nasty).x_label(nasty).y_label(nasty).line(nasty, [(0.0, 0.0), (1.0, 1.0)]).to_svg();
    check(&svg);
    assert!(svg.contains("a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;"));
    assert!(!svg.chars().any(|letter| letter.is_control() && letter != '\n'));
}

#[test]
fn ticks_are_round_numbers() {
    let labels = |low: f64, high: f64| {
        let svg = Figure::new().line("", [(0.0, low), (1.0, high)]).to_svg();
        check(&svg);
        let texts = svg.split("text-anchor=\"end\" >").skip(1);
        texts.filter_map(|text| text.split('<').next()).map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(labels(0.0, 1.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    assert_eq!(labels(-150.0, 120.0), ["−150", "−100", "−50", "0", "50", "100"]);
    assert_eq!(labels(0.0, 3e7), ["0", "5e6", "1.0e7", "1.5e7", "2.0e7", "2.5e7", "3.0e7"]);
    assert_eq!(labels(0.0, 2e-6), ["0", "5e-7", "1.0e-6", "1.5e-6", "2.0e-6"].map(|label| label.replace('-', "−")));
}

#[test]
fn numbers_of_any_size_make_a_picture() {
    for (low, high) in [
        (0.0, 0.0),
        (5.0, 5.0),
        (-1e100, 1e100),
        (1e16, 1e16 + 2.0),
        (f64::MIN_POSITIVE, 1e-300),
        (-1e-320, 1e-320),
        (0.0, 1e-45),
        (3.4e38, 3.4e38),
    ] {
        let svg = Figure::new().line("", [(low, high), (high, low)]).to_svg();
        check(&svg);
        assert!(count(&svg, "<text ") >= 4, "ticks from {low} to {high}");
        assert!(svg.len() < 10_000);
    }
    check(&Figure::new().to_svg());
    check(&Panels::new(3).expect("columns").to_svg());
}

#[test]
fn a_million_points_make_a_bounded_file() {
    let points = (0..1_000_000).map(|at| ((at % 1000) as f64, (at / 1000) as f64));
    let svg = Figure::new().scatter("", points.map(|(x, y)| (x * 1e-9, y * 1e-9)).chain([(1.0, 1.0)])).to_svg();
    assert!(svg.len() < 10_000, "{} bytes", svg.len()); // all but one in one place
}

#[test]
fn bars_stand_on_zero() -> gristmill::Result<()> {
    let svg = Figure::new().bars(&["up", "down"], &[2.0, -1.0])?.to_svg();
    check(&svg);
    assert!(svg.contains(">up<") && svg.contains(">−1<"));
    check(&Figure::new().bars(&["a"; 80], &[f64::NAN; 80])?.to_svg());
    assert!(matches!(Figure::new().bars(&["a"], &[1.0, 2.0]), Err(Error::Shape { .. })));
    assert!(matches!(Figure::new().bars::<&str>(&[], &[]), Err(Error::Shape { .. })));
    Ok(())
}

#[test]
fn heat_maps_have_a_cell_a_value() -> gristmill::Result<()> {
    let svg = Figure::new().without_legend().heatmap(&["a", "b"], &["c", "d"], &[1.0, 2.5, f64::NAN, -3.0])?.to_svg();
    check(&svg);
    assert_eq!(count(&svg, "stroke=\"#ffffff\" stroke-width=\"1\"/>"), 4);
    assert!(svg.contains(">2.5<") && svg.contains(">−3<"));
    check(&Figure::new().heatmap(&["a"], &["b"], &[0.0])?.to_svg());
    let svg = Figure::new().heatmap(&["a"], &["b", "c", "d"], &[12960.4, 0.0250, -0.0])?.to_svg();
    assert!(svg.contains(">12960<") && svg.contains(">0.025<") && !svg.contains(">−0<"));
    assert!(matches!(Figure::new().heatmap(&["a"], &["b"], &[]), Err(Error::Shape { .. })));
    Ok(())
}

#[test]
fn equal_values_of_a_heat_map_have_one_line_in_the_legend() -> gristmill::Result<()> {
    let svg = Figure::new().heatmap(&["a", "b"], &["c", "d"], &[1.0; 4])?.to_svg();
    check(&svg);
    assert!(!svg.contains("1.05") && !svg.contains("0.95"));
    assert_eq!(count(&svg, ">1<"), 5); // four cells and the legend
    check(&Figure::new().heatmap(&["a"], &["b", "c"], &[f64::NAN, f64::NAN])?.to_svg());
    Ok(())
}

#[test]
fn a_logarithmic_axis_spaces_powers_of_ten_evenly() {
    let points = [(0.001, 1.0), (0.01, 2.0), (0.1, 3.0), (10.0, 2.0), (0.0, 9.0), (-1.0, 9.0)];
    let svg = Figure::new().logarithmic_x().without_legend().steps("", points).to_svg();
    check(&svg);
    let places: Vec<f64> =
        svg.split("<circle cx=\"").skip(1).filter_map(|rest| rest.split('"').next()?.parse().ok()).collect();
    assert_eq!(places.len(), 4, "numbers that are not above 0 are left out");
    let steps: Vec<f64> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // Places are rounded to a fifth of a pixel.
    assert!((steps[0] - steps[1]).abs() < 0.5 && (steps[2] - 2.0 * steps[0]).abs() < 0.5, "{steps:?}");
    for label in ["0.001", "0.01", "0.1", "1", "10"] {
        assert!(svg.contains(&format!(">{label}<")), "{label}");
    }
}

#[test]
fn slanted_names_stay_within_a_small_panel() -> gristmill::Result<()> {
    let names: Vec<String> = (0..12).map(|at| format!("a long name of no. {at}")).collect();
    let svg = Figure::new().size(320, 300)?.bars(&names, &[1.0; 12])?.to_svg();
    check(&svg);
    let left: f64 =
        svg.split("translate(").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok()).expect("a plane");
    let texts = svg.split("<text x=\"").skip(1).filter(|text| text.contains("rotate(-40"));
    for text in texts {
        let x: f64 = text.split('"').next().and_then(|x| x.parse().ok()).expect("a place");
        let name = text.split('>').nth(1).and_then(|text| text.split('<').next()).expect("a name");
        // Letters are 0.6 of 12 pixels wide, and lie at 40 degrees.
        assert!(left + x - name.chars().count() as f64 * 7.2 * 0.766 > 0.0, "{name} is cut off");
    }
    Ok(())
}

#[test]
fn ten_classes_have_ten_colours_and_fifty_have_their_own_marks() -> gristmill::Result<()> {
    let x = Matrix::from_vec(10, 2, (0..20).map(|at| (at * at % 17) as f32).collect())?;
    let codes: Vec<u32> = (0..10).collect();
    let svg = Figure::new().without_legend().scatter_classes(&x, [0, 1], &Labels::from(&codes[..]))?.to_svg();
    let mut colours: Vec<&str> = svg
        .split("<g fill=\"#")
        .skip(1)
        .filter(|group| group.contains("stroke=\"#ffffff\""))
        .map(|group| &group[..6])
        .collect();
    colours.sort_unstable();
    colours.dedup();
    assert_eq!(colours.len(), 10);
    Ok(())
}

#[test]
fn a_ranking_keeps_its_order_and_long_names() -> gristmill::Result<()> {
    let names = ["entropy, 5, sqrt, balanced", "gini, 3, none, none"];
    let svg = plot::ranking(&names, &[(0.95, 0.05), (0.8, 0.0)])?.to_svg();
    check(&svg);
    assert!(svg.find(names[0]).expect("the first") < svg.find(names[1]).expect("the second"));
    assert!(matches!(plot::ranking(&names, &[]), Err(Error::Shape { .. })));
    Ok(())
}

fn curve_of(labels: &[&str], values: &[f64]) -> Curve {
    let scores: Vec<Sample> = values.iter().map(|_| Sample::of(&[0.8, 0.9])).collect();
    let labels = labels.iter().map(|label| label.to_string()).collect();
    let (train, test) = (scores.clone(), scores);
    Curve { along: "parameter".to_string(), labels, values: values.to_vec(), scoring: Scoring::Accuracy, train, test }
}

#[test]
fn a_validation_curve_names_words_and_spreads_powers_of_ten() -> gristmill::Result<()> {
    let words = curve_of(&["1", "sqrt", "log2", "none"], &[0.0, 1.0, 2.0, 3.0]).figure()?.to_svg();
    check(&words);
    for word in [">1<", ">sqrt<", ">log2<", ">none<"] {
        assert!(words.contains(word), "{word}");
    }
    let powers = curve_of(&["0.001", "0.1", "10"], &[0.001, 0.1, 10.0]).figure()?.to_svg();
    assert!(powers.contains(">0.001<") && powers.contains(">10<"));
    let near = curve_of(&["1", "5", "15"], &[1.0, 5.0, 15.0]).figure()?.to_svg();
    assert!(near.contains(">6<") || near.contains(">5<"), "round numbers");
    Ok(())
}

#[test]
fn scores_have_ready_pictures() -> gristmill::Result<()> {
    let truth = Labels::from_names(&["lily", "rose", "rose", "a very long name of a flower"]);
    let predicted = Labels::from_names(&["lily", "rose", "lily", "fern"]);
    let svg = plot::confusion_matrix(&ConfusionMatrix::new(&truth, &predicted)?)?.to_svg();
    check(&svg);
    assert!(svg.contains(">target<") && svg.contains(">a very long name of…<"));
    let two = Labels::from_names(&["no", "no", "yes", "yes"]);
    let svg = plot::roc_curve(&metrics::roc_curve(&two, &[0.1, 0.4, 0.35, 0.8])?).to_svg();
    check(&svg);
    assert!(svg.contains("AUC 0.750") && svg.contains("stroke-dasharray"));
    Ok(())
}

#[test]
fn a_long_legend_says_how_many_more() -> gristmill::Result<()> {
    let x = Matrix::from_vec(60, 2, (0..120).map(|at| at as f32).collect())?;
    let codes: Vec<u32> = (0..60).collect();
    let svg = Figure::new().scatter_classes(&x, [0, 1], &Labels::from(&codes[..]))?.to_svg();
    check(&svg);
    assert!(svg.contains(" more<"));
    Ok(())
}

#[test]
fn equal_axes_make_circles_round() -> gristmill::Result<()> {
    let around = (0..=100).map(|at| (at as f64 / 100.0 * std::f64::consts::TAU).sin_cos());
    let svg = Figure::new().size(800, 300)?.equal_axes().line("", around).to_svg();
    let path = svg.split("<path d=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a path");
    let numbers: Vec<f64> = path.split(['M', 'L', ' ']).filter_map(|number| number.parse().ok()).collect();
    let extent = |first: usize| {
        let values = || numbers.iter().skip(first).step_by(2);
        values().fold(f64::MIN, |a, b| a.max(*b)) - values().fold(f64::MAX, |a, b| a.min(*b))
    };
    assert!((extent(0) - extent(1)).abs() < 0.05, "{} by {}", extent(0), extent(1));
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused() -> gristmill::Result<()> {
    let x = Matrix::zeros(3, 2)?;
    let labels = Labels::from(&[0_u32, 1][..]);
    assert!(matches!(Figure::new().scatter_classes(&x, [0, 1], &labels), Err(Error::Shape { .. })));
    assert!(matches!(plot::points(&x, [0, 2]), Err(Error::Shape { .. })));
    assert!(matches!(Figure::new().size(10, 400), Err(Error::Param { .. })));
    assert!(matches!(Figure::new().size(400, 1 << 20), Err(Error::Param { .. })));
    for (low, high) in [(1.0, 0.0), (1.0, 1.0), (0.0, f64::NAN), (f64::NEG_INFINITY, 0.0), (1e16, 1e16 + 2.0)] {
        assert!(matches!(Figure::new().x_range(low, high), Err(Error::Param { .. })), "{low} to {high}");
        assert!(matches!(Figure::new().y_range(low, high), Err(Error::Param { .. })), "{low} to {high}");
    }
    assert!(matches!(Panels::new(0), Err(Error::Param { .. })));
    Ok(())
}
