//! The models there are, on data that everyone knows, and how one is chosen.

use gristmill::ensemble::{
    AdaBoostClassifier, AdaBoostRegressor, BaggingClassifier, ExtraTreesClassifier, ExtraTreesRegressor,
    StackingClassifier, Vote, VotingClassifier,
};
use gristmill::prelude::*;
use gristmill::preprocessing::StandardScaler;
use gristmill::selection::{Folds, GridSearch};

use super::page::Page;
use crate::report::seconds;

/// A job that is run and timed, and returns its result in words.
type Job<'a> = &'a dyn Fn() -> Result<String>;

pub fn show(page: &mut Page, gpu: Option<&Device>) -> Result<()> {
    page.section("The models: the same calls wherever the rows live");
    let mut rows = vec![];
    for device in [Some(&Device::Cpu), gpu].into_iter().flatten() {
        on(device, &mut rows)?;
    }
    page.table(&["model", "data", "device", "result", "time"], rows);
    ensembles(page)
}

/// Each model on a device.
fn on(device: &Device, rows: &mut Vec<Vec<String>>) -> Result<()> {
    let name = device.info().name;
    let mut add = |model: &str, data: &str, job: Job<'_>| -> Result<()> {
        job()?; // the first run compiles shaders
        rows.push([&[model.to_string(), data.to_string(), name.clone()], &timed(job)?[..]].concat());
        Ok(())
    };
    let (iris, digits) = (datasets::iris()?, datasets::digits()?);
    let x = iris.x.to(device)?;
    add("KMeans, k = 3", "iris", &|| {
        let model = KMeans::new(3).n_init(10).fit(&x)?;
        Ok(format!("inertia {:.4} after {} iterations", model.inertia(), model.iterations()))
    })?;
    let (half, y) = (digits.x.select(&every_second(0))?.to(device)?, digits.labels()?.select(&every_second(0))?);
    let (rest, target) = (digits.x.select(&every_second(1))?.to(device)?, digits.labels()?.select(&every_second(1))?);
    add("KNeighborsClassifier, k = 5", "digits, half for testing", &|| {
        percent(KNeighborsClassifier::new(5).fit(&half, &y)?.score(&rest, &target)?)
    })?;
    add("Svc, C = 10", "digits, half for testing", &|| {
        let model = Svc::default().kernel(Kernel::rbf(0.001)).c(10.0).fit(&half, &y)?;
        let right = percent(model.score(&rest, &target)?)?;
        Ok(format!("{right}, {} support vectors", model.support().len()))
    })?;
    add("Nystroem, 100 landmarks, then logistic", "digits, half for testing", &|| {
        let map = Nystroem::new(100).kernel(Kernel::rbf(0.001)).fit(&half)?;
        let model = LogisticRegression::default().c(10.0).fit(&map.transform(&half)?, &y)?;
        percent(model.score(&map.transform(&rest)?, &target)?)
    })?;
    let (cancer_train, cancer_test) = datasets::breast_cancer()?.split(0.7, 1)?;
    let (train, test) = (cancer_train.x.to(device)?, cancer_test.x.to(device)?);
    let (y, target) = (cancer_train.labels()?, cancer_test.labels()?);
    let data = "breast cancer, 30 % for testing";
    add("DecisionTreeClassifier, depth 4", data, &|| {
        percent(DecisionTreeClassifier::default().max_depth(4).fit(&train, y)?.score(&test, target)?)
    })?;
    add("RandomForestClassifier, 50 trees", data, &|| {
        percent(RandomForestClassifier::new(50).fit(&train, y)?.score(&test, target)?)
    })?;
    add("GradientBoostingClassifier, 30 rounds", data, &|| {
        percent(GradientBoostingClassifier::default().n_estimators(30).fit(&train, y)?.score(&test, target)?)
    })?;
    let diabetes = datasets::diabetes()?;
    let features = diabetes.x.to(device)?;
    add("Ridge", "diabetes", &|| {
        let model = Ridge::default().fit(&features, diabetes.values()?)?;
        Ok(format!("R² {:.3}", model.score(&features, diabetes.values()?)?))
    })?;
    let rings = datasets::circles(1000, 0.05, 0.3, 1)?;
    let (circles, codes) = (rings.x.to(device)?, rings.labels()?.codes());
    add("KernelKMeans, k = 2", "two rings", &|| {
        let model = KernelKMeans::new(2).kernel(Kernel::rbf(4.0)).n_init(3).fit(&circles)?;
        Ok(format!("adjusted Rand index {:.3}", gristmill::metrics::adjusted_rand_score(codes, model.labels())?))
    })?;
    let all = digits.x.to(device)?;
    add("LocalOutlierFactor", "digits", &|| {
        let labels = LocalOutlierFactor::default().fit_predict(&all)?;
        let outliers = labels.iter().filter(|label| **label < 0).count();
        Ok(format!("{outliers} outlier{}", if outliers == 1 { "" } else { "s" }))
    })
}

/// Models of models, and numbers by trees; 30 % of the rows for testing.
fn ensembles(page: &mut Page) -> Result<()> {
    page.section("Ensembles, on rows that they have not seen");
    let (train, test) = datasets::breast_cancer()?.split(0.7, 1)?;
    let (x, y, new, target) = (&train.x, train.labels()?, &test.x, test.labels()?);
    let members = || {
        let knn = AnyEstimator::new(KNeighborsClassifier::new(5));
        [knn, AnyEstimator::new(DecisionTreeClassifier::default()), AnyEstimator::new(RandomForestClassifier::new(50))]
    };
    let mut rows = vec![];
    let mut add = |model: &str, data: &str, job: Job<'_>| -> Result<()> {
        rows.push([&[model.to_string(), data.to_string()], &timed(job)?[..]].concat());
        Ok(())
    };
    let cancer = "breast cancer";
    add("ExtraTreesClassifier, 50 trees", cancer, &|| {
        percent(ExtraTreesClassifier::new(50).fit(x, y)?.score(new, target)?)
    })?;
    add("AdaBoostClassifier, 50 stumps", cancer, &|| {
        percent(AdaBoostClassifier::default().fit(x, y)?.score(new, target)?)
    })?;
    add("BaggingClassifier, 20 trees", cancer, &|| {
        percent(BaggingClassifier::default().n_estimators(20).fit(x, y)?.score(new, target)?)
    })?;
    add("VotingClassifier: neighbours, tree, forest", cancer, &|| {
        percent(VotingClassifier::new(members()).voting(Vote::Soft).fit(x, y)?.score(new, target)?)
    })?;
    add("StackingClassifier on the same three", cancer, &|| {
        percent(StackingClassifier::new(members()).fit(x, y)?.score(new, target)?)
    })?;
    let (train, test) = datasets::diabetes()?.split(0.7, 1)?;
    let (x, y, new, target) = (&train.x, train.values()?, &test.x, test.values()?);
    let r2 = |score: f64| Ok(format!("R² {score:.3}"));
    add("ExtraTreesRegressor, 50 trees", "diabetes", &|| {
        r2(ExtraTreesRegressor::new(50).min_samples_leaf(5).fit(x, y)?.score(new, target)?)
    })?;
    add("GradientBoostingRegressor, 30 rounds", "diabetes", &|| {
        r2(GradientBoostingRegressor::default().n_estimators(30).fit(x, y)?.score(new, target)?)
    })?;
    add("AdaBoostRegressor, 50 rounds", "diabetes", &|| {
        r2(AdaBoostRegressor::default().fit(x, y)?.score(new, target)?)
    })?;
    page.table(&["model", "data", "result", "time"], rows);
    Ok(())
}

/// How a model is chosen.
pub fn choosing(page: &mut Page) -> Result<()> {
    page.section("Choosing one: every combination on five folds of wine, the columns scaled");
    let search = GridSearch::new(Pipeline::new(KNeighborsClassifier::default()).step(StandardScaler::default()));
    let search = search.parameter("n_neighbors", [1, 5, 15]).parameter("weights", ["uniform", "distance"]);
    let found = search.fit(&datasets::wine()?, &Folds::stratified(5).seed(0))?;
    let mut rows = vec![];
    for candidate in &found.candidates {
        let word = |at: usize| candidate.parameters[at].1.to_string().replace('"', "");
        let score = candidate.score();
        rows.push(vec![word(0), word(1), format!("{:.3} ± {:.3}", score.mean, score.deviation)]);
    }
    page.table(&["n_neighbors", "weights", "accuracy"], rows);
    page.text(
        "At the shell: gristmill fit kneighbors-classifier data/digits.csv --target digit --split 0.8 --plot digits.svg",
    );
    Ok(())
}

/// The result of a job and how long it took.
fn timed(job: Job<'_>) -> Result<[String; 2]> {
    let begun = std::time::Instant::now();
    let result = job()?;
    Ok([result, seconds(begun.elapsed().as_secs_f64())])
}

fn percent(share: f64) -> Result<String> {
    Ok(format!("{:.1} % right", 100.0 * share))
}

/// 898 of the digits, from the first or the second one on.
fn every_second(first: usize) -> Vec<usize> {
    (0..898).map(|row| 2 * row + first).collect()
}
