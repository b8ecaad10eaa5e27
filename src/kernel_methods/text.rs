//! Kernels as text, for the command line, files and messages: `0.5*rbf(gamma=0.1)+poly(degree=2)`.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Gamma, Kernel};
use crate::data::nearest_name;
use crate::error::{Error, Result};

/// Every name with its arguments.
const NAMES: &[(&str, &[&str])] = &[
    ("linear", &[]),
    ("poly", &["gamma", "coef0", "degree"]),
    ("rbf", &["gamma", "sigma"]),
    ("laplacian", &["gamma"]),
    ("sigmoid", &["gamma", "coef0"]),
    ("cosine", &[]),
    ("affine", &["weights", "offset"]),
    ("waves", &["theta"]),
    ("wave_series", &["terms"]),
    ("sinc", &[]),
    ("tangent", &["layers"]),
    ("empirical_tangent", &["width", "seed"]),
    ("precomputed", &[]),
];

/// Nested parentheses that a text may have.
const DEEPEST: usize = 32;

impl fmt::Display for Gamma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gamma::Scale => f.write_str("scale"),
            Gamma::Auto => f.write_str("auto"),
            Gamma::Value(value) => write!(f, "{value}"),
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |parts: &[Kernel], between: &str| {
            let texts: Vec<String> = parts.iter().map(|part| part.inside(between)).collect();
            texts.join(between)
        };
        match self {
            Kernel::Linear => f.write_str("linear"),
            Kernel::Polynomial { gamma, coef0, degree } => {
                write!(f, "poly(gamma={gamma},coef0={coef0},degree={degree})")
            }
            Kernel::Gaussian { gamma } => write!(f, "rbf(gamma={gamma})"),
            Kernel::Laplacian { gamma } => write!(f, "laplacian(gamma={gamma})"),
            Kernel::Sigmoid { gamma, coef0 } => write!(f, "sigmoid(gamma={gamma},coef0={coef0})"),
            Kernel::Cosine => f.write_str("cosine"),
            Kernel::Affine { weights, offset } => {
                let weights: Vec<String> = weights.iter().map(f32::to_string).collect();
                write!(f, "affine(weights=[{}],offset={offset})", weights.join(","))
            }
            Kernel::Waves { theta } => write!(f, "waves(theta={theta})"),
            Kernel::WaveSeries { terms } => write!(f, "wave_series(terms={terms})"),
            Kernel::Sinc => f.write_str("sinc"),
            Kernel::Tangent { layers } => write!(f, "tangent(layers={layers})"),
            Kernel::EmpiricalTangent { width, seed } => write!(f, "empirical_tangent(width={width},seed={seed})"),
            Kernel::Precomputed => f.write_str("precomputed"),
            Kernel::Function(function) => write!(f, "function({})", function.name),
            Kernel::Constant(value) => write!(f, "{value}"),
            Kernel::Sum(parts) => f.write_str(&joined(parts, "+")),
            Kernel::Product(parts) => f.write_str(&joined(parts, "*")),
            Kernel::Power(part, degree) => write!(f, "{}^{degree}", part.inside("^")),
            Kernel::Exponential(part) => write!(f, "exp({part})"),
        }
    }
}

impl Kernel {
    /// The text, in parentheses where the operator around it binds more closely.
    fn inside(&self, operator: &str) -> String {
        let loose = match self {
            Kernel::Sum(_) => true,
            Kernel::Product(_) => operator != "+",
            Kernel::Power(..) | Kernel::Constant(_) => operator == "^",
            _ => false,
        };
        if loose { format!("({self})") } else { self.to_string() }
    }
}

impl Serialize for Kernel {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_string())
    }
}

impl<'de> Deserialize<'de> for Kernel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Kernel, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl FromStr for Kernel {
    type Err = Error;

    fn from_str(text: &str) -> Result<Kernel> {
        let mut reader = Reader { text, at: 0, depth: 0 };
        let kernel = reader.sum()?;
        reader.skip();
        if reader.at < text.len() {
            return Err(reader.wrong("an operator + * ^ or the end"));
        }
        kernel.check()?;
        Ok(kernel)
    }
}

/// Reads a text from left to right.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn take(&mut self, mark: char) -> bool {
        self.skip();
        let found = self.rest().starts_with(mark);
        self.at += if found { mark.len_utf8() } else { 0 };
        found
    }

    fn need(&mut self, mark: char) -> Result<()> {
        if self.take(mark) { Ok(()) } else { Err(self.wrong(&format!("{mark:?}"))) }
    }

    fn wrong(&self, wanted: &str) -> Error {
        let place = if self.rest().is_empty() { "at its end".to_string() } else { format!("at {:?}", self.rest()) };
        Error::param(
            "kernel",
            format!("a kernel such as 0.5*rbf(gamma=0.1)+poly(degree=2), with {wanted} {place}"),
            self.text,
        )
    }

    fn sum(&mut self) -> Result<Kernel> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.wrong("fewer parentheses"));
        }
        let mut parts = vec![self.product()?];
        while self.take('+') {
            parts.push(self.product()?);
        }
        self.depth -= 1;
        Ok(if parts.len() == 1 { parts.remove(0) } else { Kernel::Sum(parts) })
    }

    fn product(&mut self) -> Result<Kernel> {
        let mut parts = vec![self.power()?];
        while self.take('*') {
            parts.push(self.power()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Kernel::Product(parts) })
    }

    fn power(&mut self) -> Result<Kernel> {
        let mut kernel = self.atom()?;
        while self.take('^') {
            let digits = self.word(|c| c.is_ascii_digit());
            kernel = kernel.powi(digits.parse().map_err(|_| self.wrong("a whole power of 0 or more"))?);
        }
        Ok(kernel)
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        self.skip();
        let end = self.rest().find(|c| !belongs(c)).unwrap_or(self.rest().len());
        let word = &self.rest()[..end];
        self.at += end;
        word
    }

    fn number(&mut self) -> Option<f64> {
        self.skip();
        let signed =
            |at: usize, c: char| (c == '-' || c == '+') && (at == 0 || self.rest()[..at].ends_with(['e', 'E']));
        let belongs = |(at, c): (usize, char)| c.is_ascii_digit() || c == '.' || c == 'e' || c == 'E' || signed(at, c);
        let end = self.rest().char_indices().find(|&place| !belongs(place)).map_or(self.rest().len(), |(at, _)| at);
        let value = self.rest()[..end].parse().ok().filter(|value: &f64| value.is_finite())?;
        self.at += end;
        Some(value)
    }

    fn atom(&mut self) -> Result<Kernel> {
        if self.take('(') {
            let kernel = self.sum()?;
            self.need(')')?;
            return Ok(kernel);
        }
        self.skip();
        if self.rest().starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return self.number().map(Kernel::Constant).ok_or_else(|| self.wrong("a number"));
        }
        let name = self.word(|c| c.is_ascii_alphanumeric() || c == '_');
        if name == "exp" {
            self.need('(')?;
            let kernel = self.sum()?;
            self.need(')')?;
            return Ok(kernel.exp());
        }
        let name = match name {
            "gaussian" => "rbf",
            "polynomial" => "poly",
            "tanh" => "sigmoid",
            other => other,
        };
        let Some((_, known)) = NAMES.iter().find(|(known, _)| *known == name) else {
            let names = || NAMES.iter().map(|(name, _)| *name).chain(["exp"]);
            let hint = match nearest_name(name, names()) {
                Some(near) => format!("(did you mean {near}?)"),
                None => format!("(known: {})", names().collect::<Vec<_>>().join(", ")),
            };
            self.at -= name.len().min(self.at);
            return Err(self.wrong(&format!("the name of a kernel {hint}")));
        };
        let arguments = if self.take('(') { self.arguments(name, known)? } else { Arguments::default() };
        Ok(arguments.kernel(name))
    }

    fn arguments(&mut self, name: &str, known: &[&str]) -> Result<Arguments> {
        let mut arguments = Arguments::default();
        while !self.take(')') {
            let argument = self.word(|c| c.is_ascii_alphanumeric() || c == '_');
            if !known.contains(&argument) {
                let names = if known.is_empty() { "no arguments".to_string() } else { known.join(", ") };
                return Err(self.wrong(&format!("the arguments of {name}, {names},")));
            }
            self.need('=')?;
            self.skip();
            if argument == "weights" {
                self.need('[')?;
                while !self.take(']') {
                    arguments.weights.push(self.number().ok_or_else(|| self.wrong("a number"))? as f32);
                    self.take(',');
                }
            } else if argument == "gamma" && self.rest().starts_with(['s', 'a']) {
                arguments.gamma = match self.word(|c| c.is_ascii_alphabetic()) {
                    "scale" => Gamma::Scale,
                    "auto" => Gamma::Auto,
                    _ => return Err(self.wrong("a number, scale or auto")),
                };
            } else {
                let value = self.number().ok_or_else(|| self.wrong("a number"))?;
                let whole = ["degree", "terms", "layers", "width", "seed"].contains(&argument);
                if whole && (value < 0.0 || value.fract() != 0.0 || value > 4e9) {
                    return Err(self.wrong(&format!("a whole number of 0 or more as {argument}")));
                }
                match argument {
                    "gamma" => arguments.gamma = Gamma::Value(value),
                    "sigma" => arguments.gamma = Gamma::Value(0.5 / (value * value)),
                    _ => arguments.numbers.push((argument.to_string(), value)),
                }
            }
            self.take(',');
        }
        Ok(arguments)
    }
}

/// What stood in the parentheses of a kernel.
struct Arguments {
    gamma: Gamma,
    weights: Vec<f32>,
    numbers: Vec<(String, f64)>,
}

impl Default for Arguments {
    fn default() -> Arguments {
        Arguments { gamma: Gamma::Scale, weights: vec![], numbers: vec![] }
    }
}

impl Arguments {
    fn number(&self, name: &str, default: f64) -> f64 {
        self.numbers.iter().find(|(known, _)| known == name).map_or(default, |(_, value)| *value)
    }

    fn kernel(self, name: &str) -> Kernel {
        let gamma = self.gamma;
        match name {
            "poly" => {
                let degree = self.number("degree", 3.0) as u32;
                Kernel::Polynomial { gamma, coef0: self.number("coef0", 1.0), degree }
            }
            "rbf" => Kernel::Gaussian { gamma },
            "laplacian" => Kernel::Laplacian { gamma },
            "sigmoid" => Kernel::Sigmoid { gamma, coef0: self.number("coef0", 1.0) },
            "cosine" => Kernel::Cosine,
            "affine" => Kernel::Affine { offset: self.number("offset", 0.0) as f32, weights: self.weights },
            "waves" => Kernel::Waves { theta: self.number("theta", 1.0) },
            "wave_series" => Kernel::WaveSeries { terms: self.number("terms", 4.0) as u32 },
            "sinc" => Kernel::Sinc,
            "tangent" => Kernel::Tangent { layers: self.number("layers", 1.0) as u32 },
            "empirical_tangent" => {
                let width = self.number("width", 100.0) as u32;
                Kernel::EmpiricalTangent { width, seed: self.number("seed", 0.0) as u64 }
            }
            "precomputed" => Kernel::Precomputed,
            _ => Kernel::Linear,
        }
    }
}
