//! The five sections, their names in both languages, and the language of a document.

/// Names one of the five sections, in the order of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Section {
    /// What is being done.
    Doing,
    /// What is settled, each with its why.
    Decided,
    /// What was tried and does not work.
    Deadends,
    /// What to do next.
    Next,
    /// Where things are.
    Scene,
}

impl Section {
    /// Lists all sections in the order of the document.
    pub const ALL: [Self; 5] = [
        Self::Doing,
        Self::Decided,
        Self::Deadends,
        Self::Next,
        Self::Scene,
    ];

    /// Names the field that holds the section, as JSON has it.
    pub fn field(self) -> &'static str {
        match self {
            Self::Doing => "doing",
            Self::Decided => "decided",
            Self::Deadends => "deadends",
            Self::Next => "next",
            Self::Scene => "scene",
        }
    }

    /// Gives the heading that is printed, without its marker.
    pub fn heading(self, lang: DocumentLang) -> &'static str {
        match (self, lang) {
            (Self::Doing, DocumentLang::Zh) => "现在在做什么",
            (Self::Decided, DocumentLang::Zh) => "已经定下的",
            (Self::Deadends, DocumentLang::Zh) => "走不通的路",
            (Self::Next, DocumentLang::Zh) => "下一步",
            (Self::Scene, DocumentLang::Zh) => "现场",
            (Self::Doing, DocumentLang::En) => "Doing",
            (Self::Decided, DocumentLang::En) => "Decided",
            (Self::Deadends, DocumentLang::En) => "Dead ends",
            (Self::Next, DocumentLang::En) => "Next",
            (Self::Scene, DocumentLang::En) => "Scene",
        }
    }

    /// Says whether a handoff without this section is incomplete.
    pub fn required(self) -> bool {
        match self {
            Self::Doing | Self::Next => true,
            Self::Decided | Self::Deadends | Self::Scene => false,
        }
    }
}

/// Names the language of a document's headings, whatever the language of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DocumentLang {
    /// Chinese.
    #[default]
    Zh,
    /// English.
    En,
}

impl DocumentLang {
    /// Gives the text printed for a section without a body.
    pub fn empty(self) -> &'static str {
        match self {
            Self::Zh => "(空)",
            Self::En => "(empty)",
        }
    }

    /// Gives the words of the title line before the step's name.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Zh => "交接书",
            Self::En => "Handoff",
        }
    }

    /// Gives the line under the title.
    pub(super) fn note(self) -> &'static str {
        match self {
            Self::Zh => "> 这份文档可以改。接班的会话读的就是这个文件，换代那一刻从盘上重新读。",
            Self::En => {
                "> You may edit this document. The successor reads this very file, again from disk at the swap."
            }
        }
    }
}

/// Every name a section is recognised by. English ones are matched in any case, with any white
/// space between words.
pub(super) const NAMES: [(&str, Section, DocumentLang); 25] = {
    use DocumentLang::{En, Zh};
    use Section::{Deadends, Decided, Doing, Next, Scene};
    [
        ("现在在做什么", Doing, Zh),
        ("现在在做", Doing, Zh),
        ("当前进度", Doing, Zh),
        ("进度", Doing, Zh),
        ("已经定下的", Decided, Zh),
        ("已定的事", Decided, Zh),
        ("决策", Decided, Zh),
        ("走不通的路", Deadends, Zh),
        ("试过不行的", Deadends, Zh),
        ("排除的路", Deadends, Zh),
        ("下一步", Next, Zh),
        ("现场", Scene, Zh),
        ("文件", Scene, Zh),
        ("doing", Doing, En),
        ("decided", Decided, En),
        ("decisions", Decided, En),
        ("dead ends", Deadends, En),
        ("deadends", Deadends, En),
        ("what didn't work", Deadends, En),
        ("next step(s)", Next, En),
        ("next steps", Next, En),
        ("next step", Next, En),
        ("next", Next, En),
        ("scene", Scene, En),
        ("files", Scene, En),
    ]
};
