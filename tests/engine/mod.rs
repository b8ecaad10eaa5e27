//! The engine under stress: lost devices, silent kernels, small budgets, many threads, odd input.

mod arrays;
mod checks;
mod devices;
mod faults;
mod host_values;
mod in_place;
mod loss;
mod memory;
mod resources;
mod reuse;
mod streams;
