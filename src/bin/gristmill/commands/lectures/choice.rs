//! Choice of a model, and theory: 003 §3–4, 000 §3.1 and §6.4, 002, 004 §1.

use gristmill::datasets::notes;
use gristmill::plot::Figure;
use gristmill::prelude::*;
use gristmill::selection::{
    Criterion, RiskFamily, Truth, best_subset, bias_variance, bias_variance_by_generator, structural_risk,
};
use gristmill::theory::{
    HypothesisCount, JointTable, RiskSplit, Shattering, VersionSpace, agnostic, dimension, linearly_separable,
    most_shattered, off_training_accuracy, pac, realisable, rectangle_separable, tree, vapnik, voting, worst_concept,
};

use super::book::Experiment;

pub fn experiments() -> Result<Vec<Experiment>> {
    Ok(vec![
        no_free_lunch()?,
        curse()?,
        parts_of_the_error()?,
        realisations()?,
        ridge()?,
        averaging()?,
        subsets()?,
        shattering()?,
        bounds()?,
        version_space()?,
        structural()?,
        votes()?,
    ])
}

fn no_free_lunch() -> Result<Experiment> {
    let nearest =
        |rows: &[(usize, bool)], at: usize| rows.iter().min_by_key(|row| row.0.abs_diff(at)).is_some_and(|row| row.1);
    let found = off_training_accuracy(12, &[0, 3, 5, 8, 11], nearest)?;
    let worst = worst_concept(3, nearest)?;
    let ours = format!(
        "{} of {} predictions right over all 4096 concepts on 12 points; worst concept for 3 rows: error ≥ 1/8 with probability {:.2}",
        found.right, found.predictions, worst.probability
    );
    Ok(Experiment::new(
        "003 §3.1, 000 §6.4.6",
        "No free lunch, by enumeration (nearest neighbour)",
        "½; ≥ 1/8 with probability ≥ 1/7",
        ours,
    ))
}

fn curse() -> Result<Experiment> {
    let ours = format!("{:.3} in 2 dimensions, {:.3} in 10", dimension::edge(0.1, 2)?, dimension::edge(0.1, 10)?);
    Ok(Experiment::new("003 §3.2", "Edge of a cube with 10 % of the rows", "80 % of the range in 10 dimensions", ours)
        .why("80 % of each edge, not of the volume: r = e^p")
        .figure(dimension::figure(&[1, 2, 3, 10])?))
}

fn parts_of_the_error() -> Result<Experiment> {
    let line = |at: usize| if at < 5 { vec![0.09, 0.01] } else { vec![0.01, 0.09] };
    let table = JointTable::new((0..10).map(line).collect())?;
    let thresholds: Vec<Vec<usize>> =
        (0..=10).map(|from| (0..10).map(|at| usize::from(at >= from)).collect()).collect();
    let sample: Vec<(usize, usize)> = [(0, 0), (2, 0), (3, 1), (4, 1), (6, 1), (9, 1)].to_vec();
    let (rich, poor) =
        (RiskSplit::of(&table, &thresholds, &sample)?, RiskSplit::of(&table, &[vec![0; 10], vec![1; 10]], &sample)?);
    let words = |split: &RiskSplit| format!("{:.2} + {:.2}", split.approximation, split.estimation);
    let ours = format!("thresholds {}, constants {} (Bayes error {:.2})", words(&rich), words(&poor), rich.bayes);
    Ok(Experiment::new("002, bias and complexity", "Approximation and estimation error", "ε_app + ε_est", ours))
}

/// Five draws of the data and three complexities, with a rich model's spread and a poor model's bias.
fn realisations() -> Result<Experiment> {
    let mut experiment = Experiment::new(
        "003 §3.2, 004 §1",
        "Five draws of the data, three complexities",
        "drawn",
        "drawn: few neighbours follow the noise, many miss the curve",
    );
    for neighbors in [1, 5, 20] {
        let mut figure =
            Figure::new().title(format!("{neighbors} neighbours, five draws of 48 rows")).x_range(-8.0, 8.0)?;
        for seed in 0..5 {
            let train = notes::sines(seed)?.0;
            let model = KNeighborsRegressor::new(neighbors).fit(&train.x, train.values()?)?;
            let places: Vec<f32> = (-160..=160).map(|at| at as f32 / 20.0).collect();
            let predicted = model.predict(&Matrix::from_vec(places.len(), 1, places.clone())?)?;
            figure = figure
                .line("", places.iter().enumerate().map(|(row, x)| (f64::from(*x), f64::from(predicted.get(row, 0)))));
        }
        let truth = (-160..=160).map(|at| f64::from(at) / 20.0).map(|x| (x, notes::sines_at(x)));
        experiment = experiment.figure(figure.dashed("truth", truth));
    }
    Ok(experiment)
}

fn ridge() -> Result<Experiment> {
    let test = notes::wide(1 << 40)?;
    let values: Vec<f64> = (0..test.rows()).map(|row| notes::wide_at(test.x.row(row))).collect();
    let truth = Truth::Numbers { values: &values, noise_variance: 1.0 };
    let alphas = [0.01, 0.1, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0];
    let mut parts = vec![];
    for alpha in alphas {
        parts.push(bias_variance_by_generator(&Pipeline::new(Ridge::new(alpha)), &notes::wide, &test.x, &truth, 100)?);
    }
    let least = (1..parts.len()).fold(0, |best, at| if parts[at].error < parts[best].error { at } else { best });
    let apart =
        parts.iter().map(|part| (part.error - part.bias - part.variance - part.noise).abs()).fold(0.0, f64::max);
    let line = |part: fn(&gristmill::selection::BiasVariance) -> f64| {
        alphas.into_iter().zip(parts.iter().map(part)).collect::<Vec<_>>()
    };
    let figure = Figure::new().title("Ridge, 50 rows × 45 columns").x_label("λ").y_label("error").logarithmic_x();
    let figure = figure.steps("bias²", line(|part| part.bias)).steps("variance", line(|part| part.variance));
    let figure = figure.steps("error", line(|part| part.error)).dashed("noise", line(|part| part.noise));
    let ours = format!(
        "least at λ = {} ({:.2}, of which noise 1); the parts add up to {apart:.0e}",
        alphas[least], parts[least].error
    );
    Ok(Experiment::new("003 §3.3.3", "Bias², variance and error of ridge over λ", "a minimum inside", ours)
        .why("004 takes the bias against y, which counts the noise twice: here against f")
        .figure(figure))
}

fn averaging() -> Result<Experiment> {
    let (train, test) = datasets::diabetes()?.split(0.5, 1)?;
    let of = |pipeline: Pipeline| bias_variance(&pipeline, &train, &test, 25, 0);
    let (tree, bagged) = (
        of(Pipeline::new(DecisionTreeRegressor::default()))?,
        of(Pipeline::new(BaggingRegressor::default().n_estimators(25)))?,
    );
    let stump = of(Pipeline::new(DecisionTreeRegressor::default().max_depth(1)))?;
    let boosted = of(Pipeline::new(GradientBoostingRegressor::default().n_estimators(50).max_depth(1)))?;
    let words = |parts: &gristmill::selection::BiasVariance| format!("{:.0} + {:.0}", parts.bias, parts.variance);
    let ours = format!(
        "bias² + variance: tree {}, 25 bagged {}; stump {}, 50 boosted {}",
        words(&tree),
        words(&bagged),
        words(&stump),
        words(&boosted)
    );
    Ok(Experiment::new("003 §3.4, 004 §5", "Bagging lowers variance, boosting bias", "stated", ours)
        .why("000 §4.5 and 004 swap the two words in one place each"))
}

fn subsets() -> Result<Experiment> {
    let data = datasets::diabetes()?;
    let path = best_subset(&data)?;
    let names = data.names().unwrap_or_default();
    let chosen = |criterion: Criterion| {
        path.best(criterion).columns.iter().map(|column| names[*column].clone()).collect::<Vec<_>>().join(" ")
    };
    let line = |criterion: Criterion| {
        path.subsets.iter().map(|subset| (subset.columns.len() as f64, subset.criterion(criterion))).collect::<Vec<_>>()
    };
    let ours = format!("Cp: {}; BIC: {}", chosen(Criterion::Cp), chosen(Criterion::Bic));
    let figure = Figure::new().title("Best subsets of diabetes").x_label("columns").y_label("criterion");
    Ok(Experiment::new("003 §3.3.2", "Best subset by Cp and BIC (diabetes)", "formulas", ours)
        .figure(figure.steps("Cp", line(Criterion::Cp)).steps("BIC of the notes", line(Criterion::BicOfVariance))))
}

fn shattering() -> Result<Experiment> {
    let aligned = Matrix::from_rows(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])?;
    let corners = Matrix::from_rows(&[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])?;
    let (on_line, xor) = (Shattering::of(&aligned, linearly_separable)?, Shattering::of(&corners, linearly_separable)?);
    let (lines, boxes) =
        (most_shattered(2, 6, 40, 0, linearly_separable)?, most_shattered(2, 6, 200, 0, rectangle_separable)?);
    let ours = format!(
        "lines {lines}, rectangles {boxes} points of the plane; of three aligned points {} of 8 labelings, of the corners of a square {} of 16 (not XOR and its opposite)",
        on_line.realised, xor.realised
    );
    Ok(Experiment::new("003 §4.2, 000 §3.1.8", "VC dimension of lines and rectangles", "3; asked", ours)
        .why("003 §4.2 gives networks as many dimensions as parameters, which is no theorem; 4.4 means VC = ∞"))
}

fn bounds() -> Result<Experiment> {
    let ours = format!(
        "conjunctions {}, 1000 hypotheses {}, VC gap {:.5}, VC rows {}, tree {:.5}",
        realisable::sample_size(HypothesisCount::conjunctions(10), 0.1, 0.05)?.whole(),
        agnostic::sample_size(HypothesisCount::of(1000)?, 0.1, 0.05)?.whole(),
        vapnik::gap(3, 1000, 0.05)?,
        pac::sample_size(3, 0.1, 0.05)?.whole(),
        tree::gap(7, 2, 1000, 0.05)?
    );
    let curve = |h: u64| {
        (1..=20)
            .map(|at| Ok((f64::from(at) * 500.0, vapnik::gap(h, at as u64 * 500, 0.05)?)))
            .collect::<Result<Vec<_>>>()
    };
    let figure = Figure::new().title("VC gap over the rows, δ = 0.05").x_label("rows").y_label("gap");
    Ok(Experiment::new("003 §4, 000 §4.1.10", "Sample sizes and gaps (ε = 0.1, δ = 0.05)", "formulas", ours)
        .why("the tree bound holds with probability 1 − δ; the notes print δ")
        .figure(figure.line("h = 3", curve(3)?).line("h = 30", curve(30)?).line("h = 300", curve(300)?)))
}

fn version_space() -> Result<Experiment> {
    let rows = [vec![true, true, false, true], vec![true, true, true, true], vec![false, true, true, true]];
    let space = VersionSpace::of(&rows, &[true, true, false])?;
    let specific = space.most_specific.map_or(String::new(), |found| found.to_string());
    let ours = format!("{} of 81 conjunctions agree with three rows; the most specific is {specific}", space.count);
    Ok(Experiment::new("003 §4.1", "Version space of conjunctions", "|H| = 3^M", ours))
}

fn structural() -> Result<Experiment> {
    let data = datasets::moons(3000, 0.3, 1)?;
    let family = |depth: usize| RiskFamily {
        name: format!("depth {depth}"),
        dimension: 2 << depth,
        members: vec![Pipeline::new(DecisionTreeClassifier::default().max_depth(depth))],
    };
    let found = structural_risk(&(1..=9).map(family).collect::<Vec<_>>(), &data, 0.05)?;
    let points = |part: fn(&gristmill::selection::FamilyRisk) -> f64| {
        (1..).map(f64::from).zip(found.families.iter().map(part)).collect::<Vec<_>>()
    };
    let figure = Figure::new().title("Structural risk of trees").x_label("depth").y_label("error");
    let figure = figure
        .steps("training error", points(|family| family.training_error))
        .steps("gap", points(|family| family.gap));
    let ours = format!("least bound at {}", found.families[found.best_index].name);
    Ok(Experiment::new("000 §3.1.5, 004 §1", "Structural risk minimisation over nested families", "least bound", ours)
        .figure(figure.steps("bound", points(|family| family.bound()))))
}

fn votes() -> Result<Experiment> {
    let ours = format!(
        "{:.4}; mean of 50 with ρ = 0.3: {:.3}σ²",
        voting::majority(100, 0.6)?,
        voting::correlated_mean(1.0, 0.3, 50)?
    );
    Ok(Experiment::new("001 §7.5, 000 §4.2", "Majority of 100 voters right with 0.6", "0.97", ours))
}
