//! `gristmill predict`.

use super::{Folder, PEOPLE, gristmill, json, read, refused, run, text};

/// A classifier of irises by one neighbour.
fn iris(folder: &Folder) -> String {
    let model = folder.path("iris.gm");
    let fit = ["fit", "kneighbors-classifier", "data/iris.csv", "--target", "species", "--scale", "--save", &model];
    run(&fit);
    model
}

#[test]
fn classes_come_by_name_and_the_target_is_ignored_with_a_note() {
    let folder = Folder::new();
    let model = iris(&folder);
    let (shown, errors) = run(&["predict", &model, "data/iris.csv"]);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[1]), (151, "prediction", "setosa"));
    assert!(errors.contains("ignored") && errors.contains("species"), "{errors}");
    let (_, errors) = run(&["predict", &model, "data/iris.csv", "--quiet"]);
    assert_eq!(errors, "");
}

#[test]
fn columns_come_in_any_order_and_anything_may_be_in_the_others() {
    let folder = Folder::new();
    let model = iris(&folder);
    let other = "note,petal_width,sepal_length,petal_length,sepal_width\n,0.2,5.1,1.4,3.5\n7,2.1,6.8,5.5,3\nodd,1.3,5.7,4.1,2.8\n";
    let (shown, _) = run(&["predict", &model, &folder.file("other.csv", other)]);
    assert_eq!(shown, "prediction\nsetosa\nvirginica\nversicolor\n");
}

#[test]
fn a_missing_column_is_named_with_the_nearest() {
    let folder = Folder::new();
    let model = iris(&folder);
    let other = folder.file("other.csv", "petal_widht,sepal_length,petal_length,sepal_width\n0.2,5.1,1.4,3.5\n");
    let errors = refused(1, &["predict", &model, &other]);
    for word in ["other.csv", "petal_width", "petal_widht"] {
        assert!(errors.contains(word), "{word} in {errors}");
    }
}

#[test]
fn without_names_columns_are_taken_as_they_come() {
    let folder = Folder::new();
    let model = iris(&folder);
    let (shown, errors) = run(&["predict", &model, &folder.file("bare.csv", "5.1,3.5,1.4,0.2\n6.8,3,5.5,2.1\n")]);
    assert_eq!(shown, "prediction\nsetosa\nvirginica\n");
    assert!(errors.contains("does not name its columns") && errors.contains("sepal_length, sepal_width"), "{errors}");
    let errors = refused(1, &["predict", &model, &folder.file("narrow.csv", "5.1,3.5,1.4\n6.8,3,5.5\n")]);
    assert!(errors.contains("4 columns"), "{errors}");
    // With its target the file has one more; which of the columns that is cannot be known.
    let errors =
        refused(1, &["predict", &model, &folder.file("wide.csv", "5.1,3.5,1.4,0.2,rose\n6.8,3,5.5,2.1,lily\n")]);
    for word in ["5 columns, which it does not name", "fitted on 4 columns", "first line with their names"] {
        assert!(errors.contains(word), "{word} in {errors}");
    }
}

#[test]
fn without_names_a_target_in_front_is_told_from_text_columns() {
    let folder = Folder::new();
    let rows: String = (0..40)
        .map(|row| {
            let (class, colour) = if row % 2 == 0 { ("yes", "red") } else { ("no", "blue") };
            format!("{class},{},{colour}\n", row % 7)
        })
        .collect();
    let (data, model) = (folder.file("rows.csv", &rows), folder.path("model.gm"));
    run(&["fit", "kneighbors-classifier", &data, "--target", "1", "--one-hot", "--save", &model]);
    let report = json(&["evaluate", &model, &data]);
    assert_eq!(report["scores"]["accuracy"], 1.0);
    let (shown, errors) = run(&["predict", &model, &data]);
    assert!(shown.starts_with("prediction\nyes\nno\nyes\n"), "{shown}");
    assert!(errors.contains("column 1, the target"), "{errors}");
    let (shown, _) = run(&["predict", &model, &folder.file("new.csv", "3,blue\n4,red\n")]);
    assert_eq!(shown, "prediction\nno\nyes\n");
}

#[test]
fn probabilities_have_a_column_for_each_class() {
    let folder = Folder::new();
    let model = iris(&folder);
    let (shown, _) = run(&["predict", &model, "data/iris.csv", "--proba", "-q"]);
    assert!(shown.starts_with("prediction,p_setosa,p_versicolor,p_virginica\nsetosa,1,0,0\n"), "{shown}");
    let clusters = folder.path("clusters.gm");
    run(&["fit", "kmeans", "data/iris.csv", "--drop", "species", "--save", &clusters]);
    let errors = refused(2, &["predict", &clusters, "data/iris.csv", "--proba"]);
    assert!(errors.contains("kmeans gives no class probabilities"), "{errors}");
}

#[test]
fn output_goes_to_a_file_and_json_tells_of_it() {
    let folder = Folder::new();
    let model = iris(&folder);
    let out = folder.path("out.csv");
    let (shown, _) = run(&["predict", &model, "data/iris.csv", "--out", &out, "-q"]);
    assert_eq!(shown, "");
    assert_eq!(read(&out), run(&["predict", &model, "data/iris.csv", "-q"]).0);
    let report = json(&["predict", &model, "data/iris.csv", "--out", &out, "-q"]);
    assert_eq!((&report["saved"], &report["rows"], &report["columns"]), (&out.as_str().into(), &150.into(), &4.into()));
    assert!(report.get("predictions").is_none());
    let report = json(&["predict", &model, "data/iris.csv", "-q", "--proba"]);
    assert_eq!(report["predictions"][149], "virginica");
    assert_eq!(report["classes"][0], "setosa");
    assert_eq!(report["probabilities"].as_array().unwrap().len(), 150);
    assert!(report["seconds"]["predict"].is_number() && report["seconds"].get("fit").is_none());
}

#[test]
fn categories_are_matched_by_name_and_unseen_ones_refused() {
    let folder = Folder::new();
    let people = folder.file("people.csv", PEOPLE);
    let model = folder.path("people.gm");
    let fit = ["fit", "kneighbors-classifier", &people, "--target", "kind", "--one-hot", "--set", "n_neighbors=1"];
    run(&[&fit[..], &["--save", &model]].concat());
    // Only some of the categories, in another order.
    let some = folder.file("some.csv", "city,height,age\nUlm,1.82,60\nBern,1.75,35\n");
    assert_eq!(run(&["predict", &model, &some]).0, "prediction\nb\na\n");
    let errors =
        refused(1, &["predict", &model, &folder.file("new.csv", "city,height,age\nUlm,1.82,60\nWien,1.7,35\n")]);
    for word in ["city", "Wien", "row 2", "Bern"] {
        assert!(errors.contains(word), "{word} in {errors}");
    }
}

#[test]
fn categories_that_look_like_numbers_stay_categories() {
    let folder = Folder::new();
    let coded = folder.file("coded.csv", "code,w,kind\n1,1.0,a\n2,1.1,b\n7,1.2,c\n1,1.3,a\n2,1.1,b\n7,0.9,c\n");
    let model = folder.path("coded.gm");
    let fit = ["fit", "kneighbors-classifier", &coded, "--target", "kind", "--categorical", "code", "--one-hot"];
    run(&[&fit[..], &["--set", "n_neighbors=1", "--save", &model]].concat());
    let (shown, _) = run(&["predict", &model, &folder.file("new.csv", "w,code\n1.2,7\n1.0,1\n")]);
    assert_eq!(shown, "prediction\nc\na\n");
    assert!(refused(1, &["predict", &model, &folder.file("odd.csv", "w,code\n1.2,3\n")]).contains("\"3\""));
}

#[test]
fn names_with_commas_and_quotes_are_quoted() {
    let folder = Folder::new();
    let x = folder.file("x.csv", "a,y\n0,\"one, two\"\n9,\"say \"\"hi\"\"\"\n");
    let model = folder.path("quoted.gm");
    run(&["fit", "kneighbors-classifier", &x, "--target", "y", "--set", "n_neighbors=1", "--save", &model]);
    let (shown, _) = run(&["predict", &model, &x, "-q", "--proba"]);
    let expected = "prediction,\"p_one, two\",\"p_say \"\"hi\"\"\"\n\"one, two\",1,0\n\"say \"\"hi\"\"\",0,1\n";
    assert_eq!(shown, expected);
}

#[test]
fn clusters_and_outliers_are_numbers() {
    let folder = Folder::new();
    let x = folder.file("x.csv", "a\n0\n1\n10\n11\n");
    let (clusters, outliers, plain) = (folder.path("c.gm"), folder.path("o.gm"), folder.path("p.gm"));
    run(&["fit", "kmeans", &x, "--set", "n_clusters=2", "--save", &clusters]);
    let (shown, _) = run(&["predict", &clusters, &x]);
    let lines: Vec<&str> = shown.lines().skip(1).collect();
    assert!(lines[0] == lines[1] && lines[2] == lines[3] && lines[0] != lines[2], "{shown}");
    let fit = ["fit", "local-outlier-factor", &x, "--set", "n_neighbors=2", "--save"];
    run(&[&fit[..], &[&outliers, "--set", "novelty=true"]].concat());
    let (shown, _) = run(&["predict", &outliers, &folder.file("new.csv", "a\n0.5\n500\n")]);
    assert_eq!(shown, "prediction\n1\n-1\n");
    run(&[&fit[..], &[&plain]].concat());
    assert!(refused(2, &["predict", &plain, &folder.path("new.csv")]).contains("novelty"));
    // Of the rows that were fitted it says which are outliers, and how far.
    let far = folder.file("far.csv", "a,n\n0,p\n1,q\n2,\"r, s\"\n3,t\n500,u\n");
    run(&["fit", "local-outlier-factor", &far, "--drop", "n", "--set", "n_neighbors=2", "--save", &plain]);
    let (shown, _) = run(&["predict", &plain, &far, "--scores", "--keep", "n"]);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "n,prediction,score");
    assert!(lines[3].starts_with("\"r, s\",1,") && lines[5].starts_with("u,-1,-"), "{shown}");
}

#[test]
fn a_model_saved_without_a_pipeline_works_too() {
    use gristmill::prelude::*;
    let folder = Folder::new();
    let model = folder.path("bare.gm");
    let x = Matrix::from_rows(&[[0.0, 0.0], [0.0, 1.0], [9.0, 9.0], [9.0, 8.0]]).unwrap();
    let y = Labels::from_names(&["near", "near", "far", "far"]);
    KNeighborsClassifier::new(1).fit(&x, &y).unwrap().save(&model).unwrap();
    let data = folder.file("x.csv", "a,b\n1,1\n8,8\n");
    assert_eq!(run(&["predict", &model, &data]).0, "prediction\nnear\nfar\n");
    let labelled = folder.file("y.csv", "a,b,y\n1,1,near\n8,8,near\n");
    assert_eq!(json(&["evaluate", &model, &labelled, "--target", "y"])["scores"]["accuracy"], 0.5);
    assert_eq!(json(&["inspect", &model])["kind"], "kneighbors-classifier");
}

#[test]
fn the_gpu_predicts_the_same() {
    let folder = Folder::new();
    let model = iris(&folder);
    let output = gristmill(&["predict", &model, "data/iris.csv", "-q", "--device", "gpu"]).output().unwrap();
    assert_eq!(text(&output).0, run(&["predict", &model, "data/iris.csv", "-q", "--device", "cpu"]).0);
}

#[test]
fn missing_values_are_refused_with_their_place() {
    let folder = Folder::new();
    let model = iris(&folder);
    let header = "sepal_length,sepal_width,petal_length,petal_width";
    let errors = refused(1, &["predict", &model, &folder.file("hole.csv", format!("{header}\n5,3,1,1\n5,,1,1\n"))]);
    assert!(errors.contains("hole.csv") && errors.contains("line 3") && errors.contains("sepal_width"), "{errors}");
}

#[test]
fn a_model_fitted_on_whole_rows_says_what_to_do_about_holes() {
    let folder = Folder::new();
    let rows = folder.file("rows.csv", "a,b,y\n0,0,n\n0,?,n\n9,9,f\n9,8,f\n");
    let model = folder.path("dropped.gm");
    let fit = ["fit", "kneighbors-classifier", &rows, "--target", "y", "--set", "n_neighbors=1", "--save", &model];
    run(&[&fit[..], &["--missing", "drop"]].concat());
    let errors = refused(1, &["predict", &model, &rows]);
    for word in ["rows.csv", "line 3", "column b", "leave such rows out", "--missing mean or median"] {
        assert!(errors.contains(word), "{word} in {errors}");
    }
    run(&[&fit[..], &["--missing", "mean"]].concat());
    assert_eq!(run(&["predict", &model, &rows, "-q"]).0.lines().count(), 5);
}

#[test]
fn an_unseen_category_behind_an_encoder_is_named() {
    let folder = Folder::new();
    let (people, model) = (folder.file("people.csv", PEOPLE), folder.path("tree.gm"));
    run(&["fit", "decision-tree-classifier", &people, "--target", "kind", "--one-hot", "--save", &model]);
    let errors = refused(1, &["predict", &model, &folder.file("new.csv", "city,height,age\nWien,1.7,35\n")]);
    assert!(errors.contains("row 1, column \"city\": \"Wien\" is no category that was fitted"), "{errors}");
}

#[test]
fn columns_are_kept_as_they_are_written() {
    let folder = Folder::new();
    let (people, model) = (folder.file("people.csv", PEOPLE), folder.path("m.gm"));
    run(&["fit", "decision-tree-classifier", &people, "--target", "kind", "--save", &model]);
    let new = folder.file("new.csv", "id,age,city,height,note\n007,30,Ulm,1.70,NA\n1e3,41,Bern,1.8,\n");
    let (shown, _) = run(&["predict", &model, &new, "--keep", "note,id"]);
    assert_eq!(shown, "note,id,prediction\nNA,007,a\n\"\",1e3,b\n");
    let report = json(&["predict", &model, &new, "--keep", "id"]);
    assert_eq!(report["kept"][0]["id"], "007");
    assert!(refused(2, &["predict", &model, &new, "--keep", "idd"]).contains("\"id\""));
}

#[test]
fn a_threshold_moves_the_line_between_two_classes() {
    let folder = Folder::new();
    let model = folder.path("m.gm");
    let data = "data/breast_cancer.csv";
    run(&["fit", "random-forest-classifier", data, "--target", "diagnosis", "--save", &model, "--device", "cpu"]);
    let count = |threshold: &str| {
        let (shown, _) = run(&["predict", &model, data, "--threshold", threshold, "--device", "cpu", "--quiet"]);
        let last = shown.lines().skip(1).max().unwrap().to_string();
        shown.lines().filter(|line| **line == last).count()
    };
    assert!(count("0.01") > count("0.5") && count("0.5") > count("1"));
    assert!(refused(2, &["predict", &model, data, "--threshold", "2"]).contains("from 0 to 1"));
    let iris = folder.path("iris.gm");
    run(&["fit", "decision-tree-classifier", "data/iris.csv", "--target", "species", "--save", &iris]);
    assert!(refused(2, &["predict", &iris, "data/iris.csv", "--threshold", "0.5"]).contains("two classes"));
}

#[test]
fn unknown_categories_are_ignored_when_asked_for() {
    let folder = Folder::new();
    let (people, model) = (folder.file("people.csv", PEOPLE), folder.path("m.gm"));
    let new = folder.file("new.csv", "age,city,height\n30,Paris,1.7\n");
    let fit = ["fit", "kneighbors-classifier", &people, "--target", "kind", "--one-hot", "--save", &model];
    run(&fit);
    assert!(refused(1, &["predict", &model, &new]).contains("Paris"));
    run(&[&fit[..], &["--unknown", "ignore"]].concat());
    assert_eq!(run(&["predict", &model, &new]).0, "prediction\na\n");
    assert!(refused(2, &["fit", "kmeans", &people, "--unknown", "ignore"]).contains("--one-hot"));
}
