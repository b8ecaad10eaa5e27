use super::*;
use gristmill::cpu::cluster::assign::{assign, own_distances};
use gristmill::cpu::cluster::bounds::Bounded;
use gristmill::cpu::cluster::center_shift::center_shift;
use gristmill::cpu::cluster::centroid_sum::centroid_sum;
use gristmill::cpu::cluster::min_distance_update::{POTENTIAL_ROWS, min_distance_update};
use gristmill::cpu::distance::pairwise::sq_euclidean;

fn assigned(x: &[f32], centers: &[f32], d: usize) -> (Vec<u32>, Vec<u32>) {
    let (n, k) = (x.len() / d, centers.len() / d);
    let (mut labels, mut distances) = (vec![u32::MAX; n], vec![f32::NAN; n]);
    assign(x, n, centers, k, d, &mut labels, &mut distances);
    (labels, bits(&distances))
}

/// Labels and distances must be those of the full matrix of distances, to the bit, in every pool.
fn check_assign(x: &[f32], centers: &[f32], d: usize) {
    let (n, k) = (x.len() / d, centers.len() / d);
    let (labels, distances) = in_pools(|| assigned(x, centers, d));
    let mut all = vec![0.0; n * k];
    sq_euclidean(x, n, centers, k, d, &mut all);
    for i in 0..n {
        let mut best = (0, f32::INFINITY);
        for (j, &value) in all[i * k..(i + 1) * k].iter().enumerate() {
            best = if value < best.1 { (j as u32, value) } else { best };
        }
        assert_eq!((labels[i], distances[i]), (best.0, best.1.to_bits()), "row {i} of {n}×{d}, {k} centres");
        let row = &x[i * d..(i + 1) * d];
        let center = &centers[best.0 as usize * d..][..d];
        let want: f64 = row.iter().zip(center).map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2)).sum();
        close(f64::from(best.1), want, d.min(256) as f64 + 20.0, want);
    }
    let mut own = vec![f32::NAN; n];
    own_distances(x, n, centers, d, &labels, &mut own);
    assert_eq!(bits(&own), distances, "own distances of {n}×{d}, {k} centres");
}

#[test]
fn rows_go_to_the_nearest_centre_at_every_size() {
    let sizes = SIZES.into_iter();
    let by_rows = sizes.clone().map(|n| (n, 17, 5));
    let by_centers = sizes.filter(|&k| k > 0).map(|k| (131, k, 8));
    let by_depth = [1, 2, 3, 8, 33, 255, 256, 257, 784, 4096, 4097].map(|d| (50, 20, d));
    let large = [(3000, 64, 32), (300, 700, 257), (2, 5000, 3), (40, 1, 3), (7, 300, 5000)];
    for (n, k, d) in by_rows.chain(by_centers).chain(by_depth).chain(large) {
        check_assign(&numbers(n * d, 3), &numbers(k * d, 4), d);
    }
}

#[test]
fn data_far_from_the_origin_keeps_its_labels() {
    for (n, k, d) in [(2000, 40, 3), (500, 64, 32), (200, 300, 8)] {
        let shifted = |seed, count| numbers(count * d, seed).iter().map(|x| x + 1e4).collect::<Vec<f32>>();
        check_assign(&shifted(5, n), &shifted(6, k), d);
    }
}

#[test]
fn equally_near_centres_yield_the_lowest() {
    for (k, d) in [(5, 1), (40, 3), (64, 8), (1000, 2)] {
        let x: Vec<f32> = numbers(300 * d, 7).iter().map(|x| (x * 3.0).round()).collect();
        let mut centers: Vec<f32> = numbers(k * d, 8).iter().map(|x| (x * 2.0).round()).collect();
        check_assign(&x, &centers, d);
        let copy = centers.clone();
        centers.extend_from_slice(&copy);
        let (labels, _) = assigned(&x, &centers, d);
        assert!(labels.iter().all(|&label| (label as usize) < k), "a copy with a higher index won");
    }
}

#[test]
fn distances_beyond_f32_are_infinite_and_yield_the_first_centre() {
    let (labels, distances) = assigned(&[3e30, -3e30], &[0.0, 1.0], 1);
    assert_eq!((labels, distances), (vec![0, 0], vec![f32::INFINITY.to_bits(); 2]));
    let (mut labels, mut distances) = ([9; 2], [9.0; 2]);
    assign(&[], 2, &[], 3, 0, &mut labels, &mut distances);
    assert_eq!((labels, distances), ([0, 0], [0.0, 0.0]), "rows without columns are all equal");
}

#[test]
fn chunks_of_any_size_give_the_same_assignment() {
    for (n, k, d) in [(2100, 64, 32), (1500, 300, 3), (70, 20, 4500)] {
        let (x, centers) = (numbers(n * d, 9), numbers(k * d, 10));
        let whole = assigned(&x, &centers, d);
        for rows in [1, 2, 7, 64, 1000] {
            let parts = x.chunks(rows * d).map(|x| assigned(x, &centers, d));
            let joined = parts.fold((vec![], vec![]), |(mut labels, mut distances), (l, m)| {
                labels.extend(l);
                distances.extend(m);
                (labels, distances)
            });
            assert!(joined == whole, "chunks of {rows} rows of {n}×{d}");
        }
    }
}

fn check_sums(n: usize, k: usize, d: usize, offset: f32, weights: Option<&[f32]>) {
    let x: Vec<f32> = numbers(n * d, 11).iter().map(|x| x + offset).collect();
    let centers: Vec<f32> = numbers(k * d, 12).iter().map(|x| x + offset).collect();
    let labels: Vec<u32> = words(n, 13).iter().map(|word| word % k as u32).collect();
    let (sums, counts) = in_pools(|| {
        let (mut sums, mut counts) = (vec![f64::NAN; k * d], vec![f64::NAN; k]);
        centroid_sum(&x, n, d, &labels, weights, &centers, k, &mut sums, &mut counts);
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<u64>>();
        (bits(&sums), bits(&counts))
    });
    let (mut want, mut sizes, mut weight) = (vec![0.0; k * d], vec![0.0; k * d], vec![0.0; k]);
    for (i, &label) in labels.iter().enumerate() {
        let w = weights.map_or(1.0, |weights| f64::from(weights[i]));
        weight[label as usize] += w;
        for j in 0..d {
            let at = label as usize * d + j;
            let term = w * (f64::from(x[i * d + j]) - f64::from(centers[at]));
            want[at] += term;
            sizes[at] += term.abs();
        }
    }
    for (at, &sum) in sums.iter().enumerate() {
        let (got, limit) = (f64::from_bits(sum), 1e-13 * sizes[at]);
        assert!((got - want[at]).abs() <= limit, "sum {at} of {n}×{d}, {k} centres: {got} is not {}", want[at]);
    }
    for (c, &count) in counts.iter().enumerate() {
        let got = f64::from_bits(count);
        assert!((got - weight[c]).abs() <= 1e-13 * weight[c], "count of {c}: {got} is not {}", weight[c]);
    }
}

#[test]
fn centroid_sums_at_every_size() {
    for n in SIZES {
        check_sums(n, 7, 3, 0.0, None);
    }
    for (n, k, d) in [(100, 1, 1), (999, 64, 33), (40_000, 65, 8), (70_000, 3, 2), (500, 300, 784), (9000, 4000, 600)] {
        check_sums(n, k, d, 0.0, None);
        check_sums(n, k, d, 1e4, None);
    }
}

#[test]
fn weights_count_and_rows_of_weight_zero_do_not() {
    for (n, k, d) in [(1000, 5, 3), (50_000, 64, 8)] {
        let weights: Vec<f32> = words(n, 14).iter().map(|word| (word % 4) as f32 * 0.37).collect();
        check_sums(n, k, d, 100.0, Some(&weights));
    }
    let (mut sums, mut counts) = ([f64::NAN; 2], [f64::NAN; 2]);
    centroid_sum(&[5.0, 9.0, 2.0], 3, 1, &[0, 0, 1], Some(&[0.0, 2.0, 0.0]), &[1.0, 1.0], 2, &mut sums, &mut counts);
    assert_eq!((sums, counts), ([16.0, 0.0], [2.0, 0.0]));
}

#[test]
fn centres_move_to_the_means_and_empty_ones_stay() {
    for (k, d) in [(1, 1), (3, 5), (64, 33), (257, 784)] {
        let old = numbers(k * d, 15);
        let sums: Vec<f64> = numbers(k * d, 16).iter().map(|&x| f64::from(x) * 50.0).collect();
        let counts: Vec<f64> = (0..k).map(|c| (c % 3) as f64 * 2.5).collect();
        let (centers, moved) = in_pools(|| {
            let mut centers = old.clone();
            let moved = center_shift(&mut centers, &sums, &counts, k, d);
            (bits(&centers), moved)
        });
        let mut want_moved = 0.0;
        for at in 0..k * d {
            let start = f64::from(old[at]);
            let want = if counts[at / d] > 0.0 { (start + sums[at] / counts[at / d]) as f32 } else { old[at] };
            assert_eq!(centers[at], want.to_bits());
            want_moved += (f64::from(want) - start).powi(2);
        }
        assert!((moved - want_moved).abs() <= 1e-12 * want_moved);
    }
}

#[test]
fn candidates_bring_rows_closer_and_the_potentials_add_up() {
    for (n, t, d) in [(0, 3, 2), (1, 1, 1), (1000, 5, 3), (4096, 2, 8), (4097, 7, 33), (9000, 6, 784), (20, 3, 5000)] {
        let (x, candidates) = (numbers(n * d, 17), numbers(t * d, 18));
        let mut all = vec![0.0; t * n];
        sq_euclidean(&candidates, t, &x, n, d, &mut all);
        let blocks = n.div_ceil(POTENTIAL_ROWS);
        let near: Vec<f32> = numbers(n, 19).iter().map(|x| (x + 1.0) * d as f32).collect();
        let heavy: Vec<f32> = words(n, 20).iter().map(|word| (word % 3) as f32).collect();
        for (closest, weights) in [(vec![f32::MAX; n], None), (near.clone(), None), (near, Some(&heavy[..]))] {
            let (out, potentials) = in_pools(|| {
                let (mut out, mut potentials) = (vec![f32::NAN; t * n], vec![f64::NAN; t * blocks]);
                min_distance_update(&x, n, d, &candidates, &closest, weights, &mut out, &mut potentials);
                (bits(&out), potentials)
            });
            for j in 0..t {
                let want: Vec<f32> = (0..n).map(|i| all[j * n + i].min(closest[i])).collect();
                assert_eq!(out[j * n..(j + 1) * n], bits(&want));
                for (block, values) in want.chunks(POTENTIAL_ROWS).enumerate() {
                    let weight = |i: usize| weights.map_or(1.0, |w| f64::from(w[block * POTENTIAL_ROWS + i]));
                    let want: f64 = values.iter().enumerate().map(|(i, &value)| weight(i) * f64::from(value)).sum();
                    let got = potentials[j * blocks + block];
                    assert!((got - want).abs() <= 1e-12 * want, "potential {j} of block {block}: {got} is not {want}");
                }
            }
        }
    }
}

/// Lloyd's loop from the first rows, plain and with bounds side by side; all bits must agree in every pass.
fn check_bounds(x: &[f32], k: usize, d: usize, passes: usize) -> f64 {
    let n = x.len() / d;
    let mut centers = x[..k * d].to_vec();
    let (mut labels, mut plain, mut distances) = (vec![u32::MAX; n], vec![u32::MAX; n], vec![0.0; n]);
    let (mut sums, mut counts) = (vec![0.0; k * d], vec![0.0; k]);
    let mut bounded = Bounded::new(n, d, k);
    let mut least = 1.0_f64;
    for pass in 0..passes {
        let before = plain.clone();
        assign(x, n, &centers, k, d, &mut plain, &mut distances);
        let changed = bounded.assign(x, &centers, &mut labels);
        assert!(labels == plain, "pass {pass} of {n}×{d}, {k} centres");
        assert_eq!(changed, before.iter().zip(&plain).filter(|(old, new)| old != new).count());
        least = least.min(bounded.work());
        centroid_sum(x, n, d, &labels, None, &centers, k, &mut sums, &mut counts);
        // An empty cluster takes the farthest point: a jump that the bounds must survive.
        for c in (0..k).filter(|&c| counts[c] == 0.0) {
            let far = (0..n).max_by(|&a, &b| distances[a].total_cmp(&distances[b])).unwrap();
            distances[far] = 0.0;
            centers[c * d..(c + 1) * d].copy_from_slice(&x[far * d..(far + 1) * d]);
        }
        center_shift(&mut centers, &sums, &counts, k, d);
    }
    least
}

fn blobs(n: usize, count: usize, d: usize, spread: f32, offset: f32) -> Vec<f32> {
    let (middles, noise) = (numbers(count * d, 21), numbers(n * d, 22));
    let which = words(n, 23);
    let at = |i: usize| middles[(which[i / d] as usize % count) * d + i % d] + spread * noise[i] + offset;
    (0..n * d).map(at).collect()
}

#[test]
fn bounds_leave_the_labels_of_blobs_as_they_are_and_save_work() {
    for (n, k, d) in [(6000, 8, 2), (5000, 40, 8), (4000, 64, 32), (3000, 300, 3), (2500, 20, 300)] {
        for offset in [0.0, 1e4] {
            let least = check_bounds(&blobs(n, k, d, 0.1, offset), k, d, 40);
            assert!(least < 0.5, "{n}×{d}, {k} centres at {offset}: at least {least} of the distances were computed");
        }
    }
}

#[test]
fn bounds_leave_the_labels_of_noise_as_they_are() {
    for (n, k, d) in [(1, 1, 1), (2, 2, 3), (3000, 17, 1), (5000, 256, 8), (2000, 16, 128), (1100, 1000, 4)] {
        check_bounds(&numbers(n * d, 24), k, d, 40);
    }
    check_bounds(&numbers(60 * 4200, 25), 9, 4200, 5);
}

#[test]
fn bounds_leave_the_labels_of_duplicates_as_they_are() {
    for (n, k, d, steps) in [(3000, 40, 2, 3.0_f32), (2000, 20, 1, 6.0), (3000, 100, 3, 1.0)] {
        let x: Vec<f32> = numbers(n * d, 26).iter().map(|x| (x * steps).round()).collect();
        check_bounds(&x, k, d, 40);
    }
    check_bounds(&vec![0.1; 2000 * 3], 5, 3, 10);
}

#[test]
fn bounds_survive_centres_that_jump_and_numbers_of_any_size() {
    for scale in [1e-30_f32, 1e-22, 1e-12, 1e12, 1e18, 3e19] {
        let (n, k, d) = (2500, 50, 4);
        let x: Vec<f32> = blobs(n, k, d, 0.2, 0.0).iter().map(|x| x * scale).collect();
        let (mut labels, mut plain, mut distances) = (vec![u32::MAX; n], vec![0; n], vec![0.0; n]);
        let mut bounded = Bounded::new(n, d, k);
        for pass in 0..30_u64 {
            // Long rests, small steps and now and then another set of centres altogether.
            let (start, step) = (100 + pass / 12, if pass % 4 == 3 { 0.01 } else { 0.0 });
            let steps = numbers(k * d, 200 + pass);
            let centers: Vec<f32> =
                numbers(k * d, start).iter().zip(steps).map(|(x, s)| (x + step * s) * scale).collect();
            assign(&x, n, &centers, k, d, &mut plain, &mut distances);
            bounded.assign(&x, &centers, &mut labels);
            assert!(labels == plain, "pass {pass} at scale {scale:e}");
        }
    }
}

#[test]
fn bounds_leave_near_ties_to_the_computed_distances() {
    let (n, d) = (9000, 256);
    let mut x = numbers(n * d, 27);
    // One row in thirty lies between two mirrored centres, as near to both as f32 can tell, and the centres' steps
    // are smaller than the rounding errors of the distances: without a margin the bounds would be believed.
    x.chunks_exact_mut(d).step_by(30).for_each(|row| row[0] *= 3e-6);
    for k in [2, 60] {
        let half = numbers(k / 2 * d, 28);
        let mirrored = |row: &[f32], side: f32| [&[side], row].concat();
        let rows = half.chunks_exact(d).flat_map(|row| [mirrored(&row[1..], 1.0), mirrored(&row[1..], -1.0)]);
        let mut centers = rows.flatten().collect::<Vec<f32>>();
        let (mut labels, mut plain, mut distances) = (vec![u32::MAX; n], vec![0; n], vec![0.0; n]);
        let mut bounded = Bounded::new(n, d, k);
        let mut least = 1.0_f64;
        for pass in 0..40 {
            assign(&x, n, &centers, k, d, &mut plain, &mut distances);
            bounded.assign(&x, &centers, &mut labels);
            assert!(labels == plain, "pass {pass}, {k} centres");
            least = least.min(bounded.work());
            let steps = numbers(k * d, 300 + pass);
            centers.iter_mut().zip(steps).for_each(|(center, step)| *center += 1e-8 * step);
        }
        assert!(least < 0.3, "the bounds were not used: {least}");
    }
}
