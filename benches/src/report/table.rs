//! Rows, bars and verdicts, and the table that they make.

use std::fmt;

/// What a figure is held against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bar {
    /// This much or less.
    AtMost(f64),
    /// Less than this.
    Under(f64),
    /// This much or more.
    AtLeast(f64),
}

/// How a figure stands to its bar.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// As it should be.
    Holds,
    /// Off by this factor.
    MissedBy(f64),
    /// There is no figure; what makes it.
    NotMeasured(String),
}

/// One line of the report.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What is measured.
    pub what: String,
    /// The figure, with what it was made of.
    pub figure: String,
    /// The bar in words.
    pub bar: String,
    /// Whether the figure holds it.
    pub verdict: Verdict,
}

impl Bar {
    /// Holds a figure against the bar.
    #[must_use]
    pub fn verdict(self, figure: f64) -> Verdict {
        let (holds, factor) = match self {
            Self::AtMost(bar) => (figure <= bar, figure / bar),
            Self::Under(bar) => (figure < bar, figure / bar),
            Self::AtLeast(bar) => (figure >= bar, bar / figure),
        };
        if holds {
            Verdict::Holds
        } else {
            Verdict::MissedBy(factor)
        }
    }

    /// The bar in words; `unit` writes the number.
    #[must_use]
    pub fn words(self, unit: fn(f64) -> String) -> String {
        match self {
            Self::AtMost(bar) => format!("at most {}", unit(bar)),
            Self::Under(bar) => format!("under {}", unit(bar)),
            Self::AtLeast(bar) => format!("at least {}", unit(bar)),
        }
    }
}

impl Row {
    /// A row with a figure.
    #[must_use]
    pub fn measured(what: &str, number: f64, bar: Bar, unit: fn(f64) -> String) -> Self {
        Self {
            what: what.to_owned(),
            figure: unit(number),
            bar: bar.words(unit),
            verdict: bar.verdict(number),
        }
    }

    /// A row without a figure; `way` says how to get one.
    #[must_use]
    pub fn missing(what: &str, bar: Bar, unit: fn(f64) -> String, way: &str) -> Self {
        Self {
            what: what.to_owned(),
            figure: "n/a".to_owned(),
            bar: bar.words(unit),
            verdict: Verdict::NotMeasured(way.to_owned()),
        }
    }

    /// Adds to the figure what it was made of.
    #[must_use]
    pub fn made_of(mut self, details: &str) -> Self {
        self.figure = format!("{} ({details})", self.figure);
        self
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds => f.write_str("holds"),
            Self::MissedBy(factor) => write!(f, "missed by a factor of {factor:.2}"),
            Self::NotMeasured(way) => write!(f, "not measured: {way}"),
        }
    }
}

/// The rows as a Markdown table.
#[must_use]
pub fn render(rows: &[Row]) -> String {
    let mut text = String::from("| what | figure | bar | verdict |\n|---|---|---|---|\n");
    for Row {
        what,
        figure,
        bar,
        verdict,
    } in rows
    {
        text.push_str(&format!("| {what} | {figure} | {bar} | {verdict} |\n"));
    }
    text
}

/// A factor, with fewer decimals the larger it is.
pub(super) fn times(factor: f64) -> String {
    if factor < 100.0 {
        format!("{} x", trimmed(factor))
    } else {
        format!("{factor:.0} x")
    }
}

/// Nanoseconds in a unit that people read.
pub(super) fn time(ns: f64) -> String {
    let (number, unit) = match ns {
        ns if ns < 1e3 => (ns, "ns"),
        ns if ns < 1e6 => (ns / 1e3, "us"),
        ns if ns < 1e9 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    format!("{} {unit}", trimmed(number))
}

/// Bytes in a unit that people read.
pub(super) fn bytes(bytes: f64) -> String {
    const KIB: f64 = 1024.0;
    let (number, unit) = match bytes {
        bytes if bytes < KIB * KIB => (bytes / KIB, "KiB"),
        bytes if bytes < KIB * KIB * KIB => (bytes / (KIB * KIB), "MiB"),
        bytes => (bytes / (KIB * KIB * KIB), "GiB"),
    };
    format!("{} {unit}", trimmed(number))
}

/// Bytes a second.
pub(super) fn rate(bytes_a_second: f64) -> String {
    format!("{}/s", bytes(bytes_a_second))
}

/// Two decimals at most, none that say nothing.
fn trimmed(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_at_the_bar_holds_unless_the_bar_says_under() {
        assert_eq!(Bar::AtMost(6.0).verdict(6.0), Verdict::Holds);
        assert_eq!(Bar::AtLeast(4.0).verdict(4.0), Verdict::Holds);
        assert_eq!(Bar::Under(2.0).verdict(2.0), Verdict::MissedBy(1.0));
        assert_eq!(Bar::Under(2.0).verdict(1.9), Verdict::Holds);
    }

    #[test]
    fn a_miss_says_by_how_much() {
        assert_eq!(Bar::AtMost(1.5).verdict(3.0), Verdict::MissedBy(2.0));
        assert_eq!(Bar::AtLeast(4.0).verdict(1.0), Verdict::MissedBy(4.0));
        assert_eq!(
            Verdict::MissedBy(2.0).to_string(),
            "missed by a factor of 2.00"
        );
    }

    #[test]
    fn units_are_those_that_people_read() {
        assert_eq!(time(52.34), "52.34 ns");
        assert_eq!(time(2_000_000_000.0), "2 s");
        assert_eq!(time(50_000_000.0), "50 ms");
        assert_eq!(bytes(262_144.0), "256 KiB");
        assert_eq!(bytes(16_777_216.0), "16 MiB");
        assert_eq!(rate(1_073_741_824.0), "1 GiB/s");
        assert_eq!(times(1.5), "1.5 x");
        assert_eq!(times(1_000.0), "1000 x");
    }

    #[test]
    fn a_missing_figure_keeps_its_bar() {
        let row = Row::missing("load", Bar::Under(1_000.0), time, "`run it`");
        assert_eq!(
            render(&[row]),
            "| what | figure | bar | verdict |\n|---|---|---|---|\n\
             | load | n/a | under 1 us | not measured: `run it` |\n"
        );
    }
}
