//! ID3: the textbook's tree, and what is not in the textbook.

use gristmill::prelude::*;
use gristmill::tree::{Id3Classifier, Id3ClassifierModel};

#[test]
fn the_tree_of_the_fourteen_days_is_the_textbooks() {
    let days = datasets::play_tennis().unwrap();
    let model = Id3Classifier::default().fit(&days.x, days.labels().unwrap()).unwrap();
    let tree = model.tree();
    let root = &tree.nodes()[0];
    // Quinlan 1986: 0.940 bits, of which the outlook tells 0.247; then 0.971 each.
    assert_eq!((root.column, root.count), (Some(0), 14));
    assert!((root.entropy - 0.940286).abs() < 1e-6 && (root.gain - 0.246750).abs() < 1e-6, "{root:?}");
    let wanted = "outlook? (0.247 bits)
├─ Overcast: Yes (1.000)  [4 rows]
├─ Rain: wind? (0.971 bits)
│  ├─ Strong: No (1.000)  [2 rows]
│  └─ Weak: Yes (1.000)  [3 rows]
└─ Sunny: humidity? (0.971 bits)
   ├─ High: No (1.000)  [3 rows]
   └─ Normal: Yes (1.000)  [2 rows]
";
    assert_eq!(model.to_text(&days.categories()), wanted);
    assert_eq!((tree.leaves(), tree.depth(), tree.nodes().len()), (5, 2, 8));
    assert_eq!(model.predict(&days.x).unwrap(), *days.labels().unwrap());
    let importances = model.feature_importances();
    assert!((importances.iter().sum::<f64>() - 1.0).abs() < 1e-12 && importances[1] == 0.0);
}

#[test]
fn unseen_and_missing_levels_get_the_majority_of_the_node() {
    let days = datasets::play_tennis().unwrap();
    let model = Id3Classifier::default().fit(&days.x, days.labels().unwrap()).unwrap();
    // An outlook nobody saw; a missing one; a sunny day of unknown humidity (three No, two Yes).
    let x = Matrix::from_rows(&[[7.0, 0.0, 0.0, 0.0], [f32::NAN, 0.0, 0.0, 0.0], [2.0, 0.0, f32::NAN, 0.0]]).unwrap();
    let said = model.predict(&x).unwrap();
    assert_eq!([said.name(0), said.name(1), said.name(2)], ["Yes", "Yes", "No"]);
    let chances = model.predict_proba(&x).unwrap();
    assert!(
        (chances.get(0, 1) - 9.0 / 14.0).abs() < 1e-6 && (chances.get(2, 0) - (3.0 + 5.0 / 14.0) / 6.0).abs() < 1e-6
    );
}

#[test]
fn rows_without_a_level_are_left_out_where_it_is_asked_for() {
    // Column 0 tells the class of the four rows that have it; the gain counts for four of six.
    let missing = f32::NAN;
    let rows = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [missing, 0.0], [missing, 1.0]];
    let x = Matrix::from_rows(&rows).unwrap();
    let y = Labels::from_names(&["a", "a", "b", "b", "a", "b"]);
    let model = Id3Classifier::default().fit(&x, &y).unwrap();
    let root = &model.tree().nodes()[0];
    assert_eq!(root.column, Some(0));
    assert!((root.gain - 4.0 / 6.0).abs() < 1e-12);
    let counts: Vec<u64> = root.children().map(|(_, child)| model.tree().nodes()[child as usize].count).collect();
    assert_eq!(counts, [2, 2]);
}

#[test]
fn columns_that_tell_nothing_alone_are_still_asked() {
    let x = Matrix::from_rows(&[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]).unwrap();
    let y = Labels::from_names(&["a", "b", "b", "a"]);
    let model = Id3Classifier::default().fit(&x, &y).unwrap();
    assert_eq!((model.score(&x, &y).unwrap(), model.tree().depth()), (1.0, 2));
    let limited = Id3Classifier::default().min_gain(0.01).fit(&x, &y).unwrap();
    assert_eq!(limited.tree().leaves(), 1);
    assert_eq!(Id3Classifier::default().max_depth(1).fit(&x, &y).unwrap().tree().depth(), 1);
}

#[test]
fn weights_count_rows_and_zeros_leave_them_out() {
    let days = datasets::play_tennis().unwrap();
    let y = days.labels().unwrap();
    let weights: Vec<f32> = (0..14).map(|row| (row % 3) as f32).collect();
    let rows: Vec<usize> = (0..14).flat_map(|row| vec![row; row % 3]).collect();
    let options = Fit::default().sample_weight(&weights);
    let weighted = Id3Classifier::default().fit_with(&days.x, y, options).unwrap();
    let some = days.select(&rows).unwrap();
    let repeated = Id3Classifier::default().fit(&some.x, some.labels().unwrap()).unwrap();
    assert_eq!(weighted.predict_proba(&days.x).unwrap(), repeated.predict_proba(&days.x).unwrap());
}

#[test]
fn numbers_that_are_no_codes_are_refused_with_their_place() {
    let iris = datasets::iris().unwrap();
    let refused = Id3Classifier::default().fit(&iris.x, iris.labels().unwrap()).unwrap_err().to_string();
    assert!(refused.contains("codes of categories") && refused.contains("5.1 in row 0"), "{refused}");
    let x = Matrix::from_rows(&[[0.0], [-1.0]]).unwrap();
    assert!(Id3Classifier::default().fit(&x, &Labels::from_names(&["a", "b"])).is_err());
}

#[test]
fn saved_trees_predict_the_same_and_pipelines_keep_the_names_of_levels() {
    let days = datasets::play_tennis().unwrap();
    let model = Id3Classifier::default().fit(&days.x, days.labels().unwrap()).unwrap();
    let again = Id3ClassifierModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!((again.tree(), again.to_text(&days.categories())), (model.tree(), model.to_text(&days.categories())));
    let pipeline = Pipeline::new(Id3Classifier::default()).fit(&days).unwrap();
    let again = PipelineModel::from_bytes(&pipeline.to_bytes().unwrap()).unwrap();
    let text = again.model().text(&again.input_columns()).unwrap();
    assert_eq!(text, model.to_text(&days.categories()));
    assert_eq!(again.predict(&days.x).unwrap(), pipeline.predict(&days.x).unwrap());
}

#[test]
fn many_rows_give_the_same_tree_on_any_number_of_threads() {
    let rows = 5000_u32;
    let x: Vec<f32> = (0..rows * 6).map(|at| ((at / 6) >> (at % 6) & 3) as f32).collect();
    let x = Matrix::from_vec(rows as usize, 6, x).unwrap();
    let y = Labels::from((0..rows).map(|row| (row ^ row >> 3) & 1).collect::<Vec<u32>>().as_slice());
    let fit = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Id3Classifier::default().fit(&x, &y).unwrap().to_bytes().unwrap())
    };
    assert!(fit(1) == fit(3));
}

#[test]
fn nodes_of_one_class_are_not_divided_whatever_their_size() {
    for size in 1..60 {
        let x = (0..2 * size).flat_map(|row| [(row % 2) as f32, (row / 2 % 2) as f32]).collect();
        let x = Matrix::from_vec(2 * size, 2, x).unwrap();
        let y = Labels::from(&(0..2 * size as u32).map(|row| row % 2).collect::<Vec<u32>>()[..]);
        let tree = Id3Classifier::default().fit(&x, &y).unwrap().tree().clone();
        assert_eq!((tree.nodes().len(), tree.nodes()[1].entropy), (3, 0.0), "{size} rows of each class");
    }
}

#[test]
fn minus_zero_is_level_zero() {
    let x = Matrix::from_rows(&[[-0.0], [1.0], [0.0], [1.0]]).unwrap();
    let y = Labels::from_names(&["a", "b", "a", "b"]);
    let model = Id3Classifier::default().fit(&x, &y).unwrap();
    assert_eq!(model.tree().node_of(&[-0.0]), model.tree().node_of(&[0.0]));
    assert_eq!(model.score(&x, &y).unwrap(), 1.0);
}
