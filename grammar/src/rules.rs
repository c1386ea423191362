//! The generated parsers. They stay in here: their items carry no documentation
//! and their types would tie callers to one parser library.

pub(crate) mod jsonc {
    #[derive(pest_derive::Parser)]
    #[grammar = "jsonc.pest"]
    pub(crate) struct JsoncParser;
}

pub(crate) mod pattern {
    #[derive(pest_derive::Parser)]
    #[grammar = "pattern.pest"]
    pub(crate) struct PatternParser;
}

pub(crate) mod glob {
    #[derive(pest_derive::Parser)]
    #[grammar = "glob.pest"]
    pub(crate) struct GlobParser;
}
