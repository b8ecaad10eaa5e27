//! `gristmill text fit`: counts or learns a text and saves the model.

use std::path::PathBuf;

use clap::ValueEnum;
use gristmill::Profile;
use gristmill::model_file::Persist;
use gristmill::sequence::{LanguageNetwork, NeuralLanguage, NeuralLanguageModel, Ngram, Smoothing, Tokens};
use serde::Serialize;

use crate::arguments::{GlobalArgs, check_folder, check_outputs};
use crate::report::{CliError, CommandResult, Progress, Seconds, bytes, profile, show, table_of, timed};

const EXAMPLES: &str =
    "For n-grams the text is read in pieces: memory grows with the different n-grams, not with the text.
Networks learn on the device that --device names, the CPU by default.

Examples:
  gristmill text fit words.gm corpus.txt --order 3 --min-count 2
  gristmill text fit letters.gm corpus.txt --tokens characters --order 5
  gristmill text fit words.gm corpus.txt --smoothing add-k --k 0.1
  gristmill text fit lstm.gm corpus.txt --model lstm --tokens characters --epochs 5
  gristmill text fit window.gm corpus.txt --model window --min-token-count 2 --plot vectors.svg";

/// What the help lists the parameters of a model under.
const LANGUAGE_MODEL: &str = "Language model";
/// What it lists those of networks under.
const NETWORK: &str = "Networks";

/// Kinds of language models.
#[derive(Clone, Copy, ValueEnum)]
enum ModelKind {
    /// Counts of n tokens in a row
    Ngram,
    /// A network on a window of word vectors
    Window,
    /// A plain recurrent network
    Recurrent,
    /// Gated recurrent units
    Gru,
    /// Long short-term memory
    Lstm,
}

#[derive(Clone, Copy, ValueEnum)]
enum TokenKind {
    /// Words between white space, a line a sequence
    Words,
    /// Characters, the text one sequence
    Characters,
}

#[derive(Clone, Copy, ValueEnum, PartialEq)]
enum SmoothingKind {
    /// Interpolated Kneser–Ney
    KneserNey,
    /// A number added to each count
    AddK,
    /// Counts as they are
    MaximumLikelihood,
}

/// What `text fit` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct FitTextArgs {
    /// The model file to write
    model_file: PathBuf,
    /// The text, in UTF-8
    file: PathBuf,
    /// The kind of language model
    #[arg(long, value_enum, default_value = "ngram", help_heading = LANGUAGE_MODEL)]
    model: ModelKind,
    /// What the text is made of
    #[arg(long, value_enum, default_value = "words", help_heading = LANGUAGE_MODEL)]
    tokens: TokenKind,
    /// Tokens of an n-gram
    #[arg(long, default_value_t = 3, help_heading = LANGUAGE_MODEL)]
    order: usize,
    /// How probabilities follow from counts
    #[arg(long, value_enum, default_value = "kneser-ney", help_heading = LANGUAGE_MODEL)]
    smoothing: SmoothingKind,
    /// What add-k adds to each count
    #[arg(long, default_value_t = 1.0, help_heading = LANGUAGE_MODEL)]
    k: f64,
    /// The discount of Kneser–Ney; estimated from the counts by default
    #[arg(long, help_heading = LANGUAGE_MODEL)]
    discount: Option<f64>,
    /// Leaves out n-grams of two tokens and more that were seen fewer times
    #[arg(long, default_value_t = 1, help_heading = LANGUAGE_MODEL)]
    min_count: u32,
    /// Takes tokens that were seen fewer times, and unknown ones later, for <unk>
    #[arg(long, default_value_t = 1, help_heading = LANGUAGE_MODEL)]
    min_token_count: u32,
    /// Numbers of a token's vector
    #[arg(long, default_value_t = 32, help_heading = NETWORK)]
    width: usize,
    /// Units of the hidden layer or of the state
    #[arg(long, default_value_t = 128, help_heading = NETWORK)]
    units: usize,
    /// Tokens of a window
    #[arg(long, default_value_t = 8, help_heading = NETWORK)]
    window: usize,
    /// Tokens through which slopes go back
    #[arg(long, default_value_t = 64, help_heading = NETWORK)]
    steps: usize,
    /// Parts of the text that are read side by side
    #[arg(long, default_value_t = 48, help_heading = NETWORK)]
    batch_size: usize,
    /// Times that the text is read
    #[arg(long, default_value_t = 5, help_heading = NETWORK)]
    epochs: usize,
    /// The rate of the first step
    #[arg(long, default_value_t = 0.008, help_heading = NETWORK)]
    learning_rate: f64,
    /// The share of hidden values left out while the network learns
    #[arg(long, default_value_t = 0.0, help_heading = NETWORK)]
    dropout: f64,
    /// Draws the vectors of tokens by their principal components (.svg or .png)
    #[arg(long, value_name = "FILE", help_heading = NETWORK)]
    plot: Option<PathBuf>,
}

#[derive(Serialize)]
struct NetworkFitReport {
    model: &'static str,
    tokens: u64,
    vocabulary: usize,
    parameters: usize,
    losses: Vec<f64>,
    device: String,
    saved: String,
    bytes: u64,
    seconds: Seconds,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<Profile>,
}

#[derive(Serialize)]
struct TextFitReport {
    model: &'static str,
    tokens: u64,
    vocabulary: usize,
    ngrams: Vec<usize>,
    discounts: Vec<[f64; 3]>,
    saved: String,
    bytes: u64,
    seconds: Seconds,
}

impl FitTextArgs {
    fn tokens(&self) -> Tokens {
        match self.tokens {
            TokenKind::Words => Tokens::Words,
            TokenKind::Characters => Tokens::Characters,
        }
    }

    /// The network, if one is asked for, and its name.
    fn network(&self) -> Option<(LanguageNetwork, &'static str)> {
        match self.model {
            ModelKind::Ngram => None,
            ModelKind::Window => Some((LanguageNetwork::Window, "window")),
            ModelKind::Recurrent => Some((LanguageNetwork::Recurrent, "recurrent")),
            ModelKind::Gru => Some((LanguageNetwork::Gru, "gru")),
            ModelKind::Lstm => Some((LanguageNetwork::Lstm, "lstm")),
        }
    }

    fn params(&self) -> CommandResult<Ngram> {
        let tokens = self.tokens();
        if self.plot.is_some() {
            return Err(CliError::Usage("--plot draws the vectors of a network, and n-grams have none".to_string()));
        }
        if self.discount.is_some() && self.smoothing != SmoothingKind::KneserNey {
            return Err(CliError::Usage("--discount is that of --smoothing kneser-ney".to_string()));
        }
        let smoothing = match self.smoothing {
            SmoothingKind::KneserNey => Smoothing::KneserNey(self.discount),
            SmoothingKind::AddK => Smoothing::AddK(self.k),
            SmoothingKind::MaximumLikelihood => Smoothing::MaximumLikelihood,
        };
        let params = Ngram::new(self.order).tokens(tokens).smoothing(smoothing);
        Ok(params.min_count(self.min_count).min_token_count(self.min_token_count))
    }
}

pub fn run(args: &FitTextArgs, global: &GlobalArgs) -> CommandResult {
    check_outputs([&Some(args.model_file.clone()), &args.plot], [args.file.as_path()])?;
    check_folder(&args.model_file)?;
    if let Some((network, name)) = args.network() {
        return run_network(args, global, network, name);
    }
    let params = args.params()?;
    let mut seconds = Seconds::default();
    let model = timed(&mut seconds, "fit", || params.fit_file(&args.file))?;
    timed(&mut seconds, "save", || model.save(&args.model_file))?;
    let report = TextFitReport {
        model: "ngram",
        tokens: model.corpus_tokens(),
        vocabulary: model.vocabulary().len(),
        ngrams: model.ngrams(),
        discounts: model.discounts().to_vec(),
        saved: args.model_file.display().to_string(),
        bytes: std::fs::metadata(&args.model_file).map_or(0, |about| about.len()),
        seconds,
    };
    show(global, &report, |report| {
        let rows = report.ngrams.iter().zip(&report.discounts).zip(1..).map(|((count, discounts), order)| {
            let discounts = discounts.iter().map(|discount| format!("{discount:.3}")).collect::<Vec<_>>().join(", ");
            [order.to_string(), count.to_string(), discounts]
        });
        format!(
            "{} tokens, {} different\n{}\nsaved to {}, {}",
            report.tokens,
            report.vocabulary,
            table_of(&["order", "n-grams", "discounts of 1, 2, more"], rows),
            report.saved,
            bytes(report.bytes)
        )
    });
    Ok(())
}

fn run_network(args: &FitTextArgs, global: &GlobalArgs, network: LanguageNetwork, name: &'static str) -> CommandResult {
    if let Some(plot) = &args.plot {
        check_folder(plot)?;
    }
    let params = NeuralLanguage::new(network)
        .tokens(args.tokens())
        .width(args.width)
        .units(args.units)
        .window(args.window)
        .steps(args.steps)
        .batch_size(args.batch_size)
        .epochs(args.epochs)
        .learning_rate(args.learning_rate)
        .dropout(args.dropout)
        .min_token_count(args.min_token_count)
        .seed(global.seed.unwrap_or(0));
    let placed = global.placement()?.or_cpu("no other device was named");
    let (mut seconds, mut progress) = (Seconds::default(), Progress::new(global));
    let model: NeuralLanguageModel =
        timed(&mut seconds, "fit", || params.fit_file(&args.file, &placed.device, &mut progress))?;
    drop(progress);
    let profile = global.profile_of(&placed.device);
    timed(&mut seconds, "save", || model.save(&args.model_file))?;
    if let Some(plot) = &args.plot {
        timed(&mut seconds, "plot", || model.vectors_plot(&[])?.save(plot))?;
    }
    let report = NetworkFitReport {
        model: name,
        tokens: model.corpus_tokens(),
        vocabulary: model.vocabulary().len(),
        parameters: model.parameter_count(),
        losses: model.losses().to_vec(),
        device: placed.device.info().name,
        saved: args.model_file.display().to_string(),
        bytes: std::fs::metadata(&args.model_file).map_or(0, |about| about.len()),
        seconds,
        profile,
    };
    show(global, &report, |report| {
        let rows = report
            .losses
            .iter()
            .zip(1..)
            .map(|(loss, epoch)| [epoch.to_string(), format!("{loss:.4}"), format!("{:.3}", loss.exp())]);
        let page = format!(
            "{} tokens, {} different; {} parameters\n{}\nsaved to {}, {}",
            report.tokens,
            report.vocabulary,
            report.parameters,
            table_of(&["epoch", "nats a token", "perplexity"], rows),
            report.saved,
            bytes(report.bytes)
        );
        let counts = report.profile.as_ref().map(profile::describe);
        [Some(page), counts].into_iter().flatten().collect::<Vec<_>>().join("\n")
    });
    Ok(())
}
