use gristmill::neural::{ConvClassifier, ConvClassifierModel};
use gristmill::prelude::*;

use crate::support::devices;

fn small() -> ConvClassifier {
    let conv = ConvClassifier::default().image_shape(vec![8, 8]).filters(vec![8]).hidden_layer_sizes(vec![16]);
    conv.batch_size(64).learning_rate_init(0.01).max_iter(4).seed(3)
}

#[test]
fn digits_are_learnt_with_flips_and_shifts_and_a_file_gives_the_same_model() {
    let digits = datasets::digits().unwrap();
    let labels = digits.labels().unwrap();
    let labels = &labels.with_codes(labels.codes()[..480].to_vec()).unwrap();
    let pixels = digits.x.as_slice()[..480 * 64].iter().map(|value| value / 16.0).collect();
    let scaled = Matrix::from_vec(480, 64, pixels).unwrap();
    for (name, device) in devices() {
        let x = scaled.to(device).unwrap();
        let model = small().shift(1).fit(&x, labels).unwrap();
        let score = model.score(&x, labels).unwrap();
        assert!(score > 0.6, "{name}: {score}, {:?}", model.losses());
        if name == "cpu" {
            let again = ConvClassifierModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
            assert_eq!(again.predict_proba(&x).unwrap(), model.predict_proba(&x).unwrap());
            let longer = small().shift(1).max_iter(5);
            let resumed = longer.resume(again, &x, labels).unwrap();
            assert_eq!(resumed.weights().unwrap(), longer.fit(&x, labels).unwrap().weights().unwrap());
        }
    }
}

#[test]
fn rows_of_any_length_are_images_of_one_channel() {
    let iris = datasets::iris().unwrap();
    for columns in [1, 2, 3, 4] {
        let x = iris.x.select_columns(&(0..columns).collect::<Vec<usize>>()).unwrap();
        let conv = ConvClassifier::default().filters(vec![4, 4]).max_iter(2);
        let model = conv.fit(&x, iris.labels().unwrap()).unwrap();
        let again = ConvClassifierModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(again.predict(&x).unwrap(), model.predict(&x).unwrap());
    }
}

#[test]
fn images_of_another_shape_are_refused() {
    let digits = datasets::digits().unwrap();
    let labels = digits.labels().unwrap();
    let refused = |conv: ConvClassifier| conv.fit(&digits.x, labels).err();
    assert!(matches!(refused(small().image_shape(vec![8, 9])), Some(Error::Shape { .. })));
    assert!(matches!(refused(small().image_shape(vec![64])), Some(Error::Param { .. })));
    assert!(matches!(refused(small().image_shape(vec![8, 8, 0])), Some(Error::Param { .. })));
    assert!(matches!(refused(small().filters(vec![6])), Some(Error::Param { .. })));
    assert!(matches!(refused(small().kernel_size(4)), Some(Error::Param { .. })));
    // Three poolings leave one pixel, which the fourth leaves alone.
    assert!(refused(small().filters(vec![4, 4, 4, 4]).max_iter(1)).is_none());
}
