//! Independent components, dictionaries, maps and non-negative factors: identities, known sources, scikit-learn's
//! numbers, edges.

mod components;
mod dictionaries;
mod edges;
mod factors;
mod maps;
