//! The words of the help box on the screen.

use serde::Deserialize;

/// The help of the screen.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HelpTexts {
    /// The box's title.
    pub title: String,
    /// Last row when everything is shown.
    pub close: String,
    /// Last row when there is more below or above.
    pub more: String,
}
