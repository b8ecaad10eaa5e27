//! Support vector machines on every device.

use gristmill::estimator::Model;
use gristmill::prelude::*;

use crate::support::{devices, gpu_with};

#[test]
fn devices_find_the_same_support_vectors_and_objective() {
    let moons = datasets::moons(700, 0.25, 5).unwrap();
    let y = moons.labels().unwrap();
    let svc = Svc::default().kernel(Kernel::rbf(1.0)).c(2.0).tol(1e-4);
    let on_host = svc.fit(&moons.x, y).unwrap();
    let one_host = OneClassSvm::default().nu(0.2).kernel(Kernel::rbf(1.0)).fit(&moons.x).unwrap();
    for (name, device) in devices() {
        let x = moons.x.to(device).unwrap();
        for cache in [1024.0, 0.2] {
            let model = svc.clone().cache_size(cache).fit(&x, y).unwrap();
            let others = model.support().iter().filter(|row| !on_host.support().contains(row)).count();
            assert!(others * 100 <= on_host.support().len(), "{name}: {others} other support vectors");
            assert!((model.objectives()[0] / on_host.objectives()[0] - 1.0).abs() < 1e-4, "{name}");
            assert!(model.converged(), "{name}");
            assert!(model.report().number("violation").unwrap() <= 1.1e-4, "{name}");
            let course = model.report().curve("objective").to_vec();
            assert!(course.is_sorted_by(|before, after| *after <= before + 1e-5 * before.abs()), "{name}: {course:?}");
            assert_eq!(model.score(&x, y).unwrap(), on_host.score(&moons.x, y).unwrap(), "{name}");
        }
        let one = OneClassSvm::default().nu(0.2).kernel(Kernel::rbf(1.0)).fit(&x).unwrap();
        assert!((one.objective() / one_host.objective() - 1.0).abs() < 1e-4, "{name}");
        assert!(one.report().number("support").is_some_and(|support| support >= 140.0));
        let outliers = one.predict(&x).unwrap().iter().filter(|side| **side < 0).count();
        assert!((126..=141).contains(&outliers), "{name}: {outliers}");
    }
}

#[test]
fn every_form_and_several_classes_agree_on_every_device() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    let numbers: Vec<f32> = (0..150).map(|row| iris.x.get(row, 3) + 0.3 * iris.x.get(row, 0).sin()).collect();
    let x3 = iris.x.select_columns(&[0, 1, 2]).unwrap();
    let host = Svc::default().kernel(Kernel::rbf(0.5)).tol(1e-4).fit(&iris.x, y).unwrap();
    let l2 = Svc::default().kernel(Kernel::rbf(0.5)).slack(gristmill::svm::Slack::L2).tol(1e-4);
    let nu = NuSvc::default().nu(0.2).kernel(Kernel::rbf(0.5)).tol(1e-4);
    let svr = Svr::default().kernel(Kernel::rbf(0.3)).epsilon(0.02).tol(1e-4);
    let nu_svr = NuSvr::default().kernel(Kernel::rbf(0.3)).nu(0.4).tol(1e-4);
    let rest = Svc::default().kernel(Kernel::rbf(0.5)).multi_class(gristmill::svm::MultiClass::OneVersusRest).tol(1e-4);
    let mut stream = Device::Cpu.stream();
    let gram = Kernel::rbf(0.5).symmetric_matrix(&mut stream, &iris.x.to(&Device::Cpu).unwrap()).unwrap();
    let gram = gram.to_matrix(&mut stream).unwrap();
    let given = Svc::default().kernel(Kernel::Precomputed).tol(1e-4);
    let near = |name: &str, what: &str, found: &Matrix, expected: &Matrix| {
        for (found, expected) in found.as_slice().iter().zip(expected.as_slice()) {
            assert!((found - expected).abs() < 3e-3, "{name}, {what}: {found} is not {expected}");
        }
    };
    for (name, device) in devices() {
        let x = iris.x.to(device).unwrap();
        let decisions = |model: &SvcModel, x: &Matrix| model.function_values(x).unwrap();
        let found = Svc::default().kernel(Kernel::rbf(0.5)).tol(1e-4).fit(&x, y).unwrap();
        near(name, "pairs", &decisions(&found, &iris.x), &decisions(&host, &iris.x));
        let found = l2.fit(&x, y).unwrap();
        near(name, "squares", &decisions(&found, &iris.x), &decisions(&l2.fit(&iris.x, y).unwrap(), &iris.x));
        let found = rest.fit(&x, y).unwrap();
        near(name, "rest", &decisions(&found, &iris.x), &decisions(&rest.fit(&iris.x, y).unwrap(), &iris.x));
        let found = given.fit(&gram.to(device).unwrap(), y).unwrap();
        near(name, "given", &decisions(&found, &gram), &decisions(&host, &iris.x));
        let values = |model: &NuSvcModel| model.function_values(&iris.x).unwrap();
        near(name, "nu", &values(&nu.fit(&x, y).unwrap()), &values(&nu.fit(&iris.x, y).unwrap()));
        let x3_device = x3.to(device).unwrap();
        let [found, expected] =
            [svr.fit(&x3_device, &numbers).unwrap(), svr.fit(&x3, &numbers).unwrap()].map(|m| m.predict(&x3).unwrap());
        near(name, "numbers", &found, &expected);
        let [found, expected] = [nu_svr.fit(&x3_device, &numbers).unwrap(), nu_svr.fit(&x3, &numbers).unwrap()]
            .map(|model| model.predict(&x3).unwrap());
        near(name, "numbers with nu", &found, &expected);
    }
}

#[test]
fn a_fit_on_a_gpu_waits_once_a_round_and_moves_a_few_bytes_in_it() {
    let device = gpu_with(DeviceOptions::default());
    let moons = datasets::moons(3000, 0.25, 5).unwrap();
    let y = moons.labels().unwrap();
    let x = moons.x.to(&device).unwrap();
    let svc = Svc::default().kernel(Kernel::rbf(1.0)).c(2.0);
    let measured = |tol: f64| {
        device.profile(true);
        let model = svc.clone().tol(tol).fit(&x, y).unwrap();
        let rounds = model.report().number("rounds").unwrap() as u64;
        (rounds, device.profile_report())
    };
    // Two fits that differ in their number of rounds alone.
    let [(few, first), (many, second)] = [1.0, 1e-4].map(measured);
    assert!(many > few + 3, "{few} and {many} rounds");
    let waits = second.readbacks - first.readbacks;
    assert!(waits <= many - few + 1, "{waits} waits for {} rounds", many - few);
    let bytes = second.readback_bytes - first.readback_bytes;
    assert!(bytes <= 256 * (many - few + 1), "{bytes} bytes came down");
    assert_eq!(second.matrix_uploads, first.matrix_uploads);
    assert_eq!(second.matrix_readbacks, first.matrix_readbacks);
}
