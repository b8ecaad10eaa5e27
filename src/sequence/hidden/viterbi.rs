//! The most likely path of hidden states (Viterbi 1967).

use nalgebra::DMatrix;

/// The logarithm of the probability of the best path with what was seen, and the path; ties go to the lowest state.
pub(super) fn viterbi(initial: &[f64], transitions: &DMatrix<f64>, densities: &DMatrix<f64>) -> (f64, Vec<usize>) {
    let (steps, states) = densities.shape();
    let logs = transitions.map(f64::ln);
    let mut best: Vec<f64> = (0..states).map(|state| initial[state].ln() + densities[(0, state)]).collect();
    let mut from = vec![0_u32; steps * states];
    for step in 1..steps {
        let mut next = vec![f64::NEG_INFINITY; states];
        for (to, value) in next.iter_mut().enumerate() {
            let mut origin = 0;
            for (state, before) in best.iter().enumerate() {
                let path = before + logs[(state, to)];
                if path > *value {
                    (*value, origin) = (path, state);
                }
            }
            *value += densities[(step, to)];
            from[step * states + to] = origin as u32;
        }
        best = next;
    }
    let mut state = (0..states).fold(0, |found, other| if best[other] > best[found] { other } else { found });
    let log_probability = best[state];
    let mut path = vec![state; steps];
    for step in (1..steps).rev() {
        state = from[step * states + state] as usize;
        path[step - 1] = state;
    }
    (log_probability, path)
}
