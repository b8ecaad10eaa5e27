//! Classifiers by Bayes' rule: the class of the largest prior probability times density of the row.

mod bernoulli;
mod counts;
mod gaussian;
mod multinomial;
mod plug_in;
mod scores;

pub use bernoulli::{BernoulliNaiveBayes, BernoulliNaiveBayesModel};
pub use gaussian::{GaussianNaiveBayes, GaussianNaiveBayesModel};
pub use multinomial::{MultinomialNaiveBayes, MultinomialNaiveBayesModel};
pub use plug_in::{BayesClassifier, BayesClassifierModel};
