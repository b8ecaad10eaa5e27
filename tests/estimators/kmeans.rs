use gristmill::prelude::*;

use super::blobs::blobs;
use crate::support::{bits, devices, gpu, gpu_with, matrix};

fn sizes(model: &KMeansModel) -> Vec<usize> {
    let mut sizes = vec![0; model.cluster_centers().rows()];
    model.labels().iter().for_each(|label| sizes[*label as usize] += 1);
    sizes.sort_unstable();
    sizes
}

#[test]
fn iris_has_the_published_inertia_and_sizes() {
    let x = gristmill::datasets::iris().unwrap().x;
    for (name, device) in devices() {
        let model = KMeans::new(3).n_init(10).fit(&x.to(device).unwrap()).unwrap();
        assert!((model.inertia() - 78.8514414).abs() < 1e-4, "{name}: {}", model.inertia());
        assert_eq!(sizes(&model), [38, 50, 62], "{name}");
        assert!(model.converged());
    }
}

#[test]
fn every_iteration_lowers_the_inertia() {
    let x = matrix(2000, 5, 1);
    let start = matrix(12, 5, 2);
    for (name, device) in devices() {
        let x = x.to(device).unwrap();
        let inertia = |iterations| {
            let params = KMeans::new(12).init(Init::Centers(start.clone())).max_iter(iterations).tol(0.0);
            params.fit(&x).unwrap().inertia()
        };
        let losses: Vec<f64> = (1..15).map(inertia).collect();
        assert!(losses.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-6)), "{name}: {losses:?}");
        assert!(losses[13] < losses[0]);
    }
}

#[test]
fn labels_belong_to_the_centres_however_the_search_ended() {
    let x = matrix(3000, 4, 3);
    for (name, device) in devices() {
        let x = x.to(device).unwrap();
        for params in [KMeans::new(9).max_iter(1), KMeans::new(9).max_iter(3), KMeans::new(9).tol(0.0)] {
            let model = params.fit(&x).unwrap();
            assert_eq!(model.predict(&x).unwrap(), model.labels(), "{name}");
            assert_eq!(model.score(&x).unwrap(), -model.inertia(), "{name}");
        }
    }
}

#[test]
fn the_centres_are_the_means_of_their_rows() {
    let (x, _) = blobs(1200, 3, 5, 1.0, 4);
    for (name, device) in devices() {
        let model = KMeans::new(5).n_init(3).tol(0.0).fit(&x.to(device).unwrap()).unwrap();
        for cluster in 0..5 {
            let members: Vec<usize> = (0..1200).filter(|row| model.labels()[*row] == cluster as u32).collect();
            for column in 0..3 {
                let sum: f64 = members.iter().map(|row| f64::from(x.get(*row, column))).sum();
                let mean = sum / members.len() as f64;
                let center = f64::from(model.cluster_centers().get(cluster, column));
                assert!((center - mean).abs() < 1e-5 * (1.0 + mean.abs()), "{name}: {center} for {mean}");
            }
        }
    }
}

#[test]
fn an_empty_cluster_takes_the_farthest_point() {
    let x = Matrix::from_rows(&[[0.0], [1.0], [2.0], [30.0], [10.0]]).unwrap();
    for (name, device) in devices() {
        // Both centres of the pair are at 0: the second one has no rows.
        let start = Matrix::from_rows(&[[0.0], [0.0], [9.0]]).unwrap();
        let model = KMeans::new(3).init(Init::Centers(start)).fit(&x.to(device).unwrap()).unwrap();
        assert_eq!(model.labels(), [0, 0, 0, 1, 2], "{name}");
        assert_eq!(model.inertia(), 2.0, "{name}");
    }
}

#[test]
fn equal_rows_leave_clusters_that_repeat_a_centre() {
    let x = Matrix::from_vec(6, 2, [1.5, -2.0].repeat(6)).unwrap();
    for (name, device) in devices() {
        for init in [Init::KMeansPlusPlus, Init::Random] {
            let model = KMeans::new(3).init(init).fit(&x.to(device).unwrap()).unwrap();
            assert_eq!((model.inertia(), model.labels()), (0.0, &[0; 6][..]), "{name}");
            assert!(model.converged(), "{name}");
        }
    }
}

#[test]
fn one_row_is_its_own_cluster_and_as_many_clusters_as_rows_are_the_rows() {
    for (name, device) in devices() {
        let one = KMeans::new(1).fit(&Matrix::from_rows(&[[3.0, 4.0]]).unwrap().to(device).unwrap()).unwrap();
        assert_eq!((one.cluster_centers().as_slice(), one.inertia()), (&[3.0, 4.0][..], 0.0), "{name}");
        let x = matrix(20, 3, 5);
        let all = KMeans::new(20).fit(&x.to(device).unwrap()).unwrap();
        assert_eq!(all.inertia(), 0.0, "{name}");
    }
}

#[test]
fn a_weight_counts_like_repeated_rows() {
    let (x, _) = blobs(300, 2, 3, 4.0, 6);
    let start = Matrix::from_rows(&[x.row(0), x.row(1), x.row(2)]).unwrap();
    let weights: Vec<f32> = (0..300).map(|row| (row % 4) as f32).collect();
    let repeated: Vec<Vec<f32>> = (0..300).flat_map(|row| vec![x.row(row).to_vec(); row % 4]).collect();
    let repeated = Matrix::from_rows(&repeated).unwrap();
    for (name, device) in devices() {
        let params = KMeans::new(3).init(Init::Centers(start.clone())).tol(0.0);
        let options = Fit::default().sample_weight(&weights);
        let weighted = params.fit_with(&x.to(device).unwrap(), options).unwrap();
        let plain = params.fit(&repeated.to(device).unwrap()).unwrap();
        let pairs = weighted.cluster_centers().as_slice().iter().zip(plain.cluster_centers().as_slice());
        assert!(pairs.clone().all(|(a, b)| (a - b).abs() < 1e-4), "{name}");
        assert!((weighted.inertia() - plain.inertia()).abs() < 1e-4 * plain.inertia(), "{name}");
    }
}

#[test]
fn data_far_off_centre_is_clustered_as_near_the_origin() {
    let (x, truth) = blobs(2000, 4, 6, 0.5, 7);
    let far = Matrix::from_vec(2000, 4, x.as_slice().iter().map(|value| value + 1e4).collect()).unwrap();
    for (name, device) in devices() {
        let model = KMeans::new(6).n_init(5).fit(&far.to(device).unwrap()).unwrap();
        for cluster in 0..6 {
            let mut labels = (0..2000).filter(|row| truth[*row] == cluster).map(|row| model.labels()[row]);
            let first = labels.next().unwrap();
            assert!(labels.all(|label| label == first), "{name}: cluster {cluster} was split");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_each_time() {
    let x = matrix(5000, 8, 8);
    for (name, device) in devices() {
        let x = x.to(device).unwrap();
        let run = || {
            let model = KMeans::new(16).seed(3).max_iter(12).fit(&x).unwrap();
            (bits(model.cluster_centers().as_slice()), model.labels().to_vec(), model.inertia().to_bits())
        };
        let first = run();
        assert!((1..7).all(|_| run() == first), "{name}");
    }
}

#[test]
fn the_number_of_threads_does_not_show() {
    let x = matrix(20_000, 6, 9);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| KMeans::new(20).max_iter(15).fit(&x).unwrap().to_bytes().unwrap())
    };
    let one = run(1);
    assert!([2, 3, 8].into_iter().all(|threads| run(threads) == one));
}

#[test]
fn a_small_budget_gives_the_same_bits() {
    let x = matrix(150_000, 40, 10);
    let run = |device: &Device| {
        let model = KMeans::new(10).seed(5).max_iter(4).fit(&x.to(device).unwrap()).unwrap();
        (bits(model.cluster_centers().as_slice()), model.labels().to_vec(), model.inertia().to_bits())
    };
    let small = gpu_with(DeviceOptions::default().memory_budget(16 << 20).mark_outputs(true));
    assert!(run(&small) == run(gpu()));
}

#[test]
fn cpu_and_gpu_agree_on_well_separated_data() {
    let (x, _) = blobs(4000, 5, 7, 0.5, 11);
    let mut found = vec![];
    for (_, device) in devices() {
        found.push(KMeans::new(7).seed(1).fit(&x.to(device).unwrap()).unwrap().labels().to_vec());
    }
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0], found[2]);
}

#[test]
fn iterations_on_the_gpu_read_back_a_few_bytes() {
    let x = matrix(50_000, 16, 12);
    let start = Init::Centers(matrix(16, 16, 13));
    let device = gpu_with(DeviceOptions::default());
    let x = x.to(&device).unwrap();
    let fit = |iterations| {
        device.profile(true);
        KMeans::new(16).init(start.clone()).tol(0.0).max_iter(iterations).fit(&x).unwrap();
        device.profile_report()
    };
    let (short, long) = (fit(8), fit(24));
    assert!(
        long.readback_bytes - short.readback_bytes <= 16 * 16,
        "{} bytes more",
        long.readback_bytes - short.readback_bytes
    );
    assert!(long.readbacks <= short.readbacks + 16);
}

#[test]
fn distances_to_the_centres_are_right() {
    for (name, device) in devices() {
        let x = Matrix::from_rows(&[[0.0, 0.0], [3.0, 4.0]]).unwrap().to(device).unwrap();
        let start = Init::Centers(Matrix::from_rows(&[[0.0, 0.0], [3.0, 4.0]]).unwrap());
        let model = KMeans::new(2).init(start).fit(&x).unwrap();
        assert_eq!(
            model.transform(&x).unwrap().to_matrix(&mut device.stream()).unwrap().as_slice(),
            [0.0, 5.0, 5.0, 0.0],
            "{name}"
        );
    }
}

#[test]
fn a_saved_model_predicts_the_same() {
    let (x, _) = blobs(500, 3, 4, 3.0, 14);
    let model = KMeans::new(4).fit(&x).unwrap();
    let bytes = model.to_bytes().unwrap();
    let again = KMeansModel::from_bytes(&bytes).unwrap();
    assert_eq!(again.predict(&x).unwrap(), model.labels());
    assert_eq!(again.labels(), model.labels());
    assert_eq!((again.inertia(), again.iterations(), again.converged()), (model.inertia(), model.iterations(), true));
    assert_eq!(again.to_bytes().unwrap(), bytes);
}

#[test]
fn what_cannot_be_is_refused_alike() {
    let nan = Matrix::from_rows(&[[1.0, 2.0], [f32::NAN, 0.0]]).unwrap();
    for (name, device) in devices() {
        let x = matrix(10, 2, 15).to(device).unwrap();
        let param = |params: KMeans, what: &str| match params.fit(&x) {
            Err(Error::Param { name: found, .. }) => assert_eq!(found, what, "{name}"),
            other => panic!("{name}: {what}: {other:?}"),
        };
        param(KMeans::new(0), "n_clusters");
        param(KMeans::new(11), "n_clusters");
        param(KMeans::new(2).max_iter(0), "max_iter");
        param(KMeans::new(2).n_init(0), "n_init");
        param(KMeans::new(2).tol(-1.0), "tol");
        param(KMeans::new(2).tol(f64::NAN), "tol");
        let shape = KMeans::new(2).init(Init::Centers(matrix(2, 3, 1))).fit(&x);
        assert!(matches!(shape, Err(Error::Shape { .. })), "{name}");
        let missing = KMeans::new(1).fit(&nan.to(device).unwrap());
        assert!(matches!(missing, Err(Error::NotFinite { row: 1, column: 0, .. })), "{name}");
        let empty = KMeans::new(1).fit(&Matrix::zeros(0, 2).unwrap().to(device).unwrap());
        assert!(matches!(empty, Err(Error::Shape { .. })), "{name}");
        let model = KMeans::new(2).fit(&x).unwrap();
        assert!(matches!(model.predict(&matrix(3, 5, 1).to(device).unwrap()), Err(Error::Shape { .. })), "{name}");
        for weights in [vec![1.0; 9], vec![-1.0; 10], vec![0.0; 10], vec![f32::NAN; 10]] {
            let result = KMeans::new(2).fit_with(&x, Fit::default().sample_weight(&weights));
            assert!(matches!(result, Err(Error::Shape { .. } | Error::Param { .. })), "{name}");
        }
    }
    let infinite = Matrix::from_rows(&[[1.0], [f32::INFINITY]]).unwrap();
    assert!(matches!(KMeans::new(1).fit(&infinite), Err(Error::NotFinite { row: 1, .. })));
}
