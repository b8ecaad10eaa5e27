//! Support vector machines on every device.

use gristmill::estimator::Model;
use gristmill::prelude::*;

use crate::support::devices;

#[test]
fn devices_find_the_same_support_vectors_and_objective() {
    let moons = datasets::moons(400, 0.25, 5).unwrap();
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
            assert_eq!(model.score(&x, y).unwrap(), on_host.score(&moons.x, y).unwrap(), "{name}");
        }
        let one = OneClassSvm::default().nu(0.2).kernel(Kernel::rbf(1.0)).fit(&x).unwrap();
        assert!((one.objective() / one_host.objective() - 1.0).abs() < 1e-4, "{name}");
        assert!(one.report().number("support").is_some_and(|support| support >= 80.0));
    }
}
