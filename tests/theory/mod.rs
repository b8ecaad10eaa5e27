//! Bounds against the numbers of the lecture notes, enumerations, and what both refuse.

mod bounds;
mod catalog;
mod inverses;
mod learning;
mod losses;
mod shattering;
