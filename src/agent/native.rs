//! Our own agent: a model, tools and a transcript. One call of [`NativeAgent::turn`] is one model
//! answer and the tools it asked for. Dropping that future cancels it; [`NativeAgent::interrupted`]
//! then leaves a conversation that can go on.

use futures_util::StreamExt;
use tokio::sync::mpsc::UnboundedSender;

use super::transcript::Transcript;
use super::{AgentEvent, TurnEnd, clean};
use crate::model::anthropic::Anthropic;
use crate::model::error::{ErrorClass, ModelError};
use crate::model::{Auth, Block, Message, ModelEvent, Request, Role, StopReason, ToolSpec, Usage};
use crate::tokens;
use crate::tool::{ToolCall, Toolbox};

/// How often in a row an answer cut by our own output cap is continued.
const MAX_CONTINUATIONS: u32 = 3;
/// An answer that stops at its length with no more tokens than this wrote next to nothing.
const SILENT_OUTPUT_TOKENS: u64 = 16;
/// From this share of the window on, in percent, an answer of next to nothing means "no room".
const SILENT_CONTEXT_PERCENT: u64 = 99;

const CONTINUE: &str = include_str!("../../assets/prompts/continue.md");
const NOT_RUN_WHILE_WRITING: &str = "not run: this turn only writes the handoff";

/// What an agent asks its model for, the same in every turn.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Model name as the person gave it.
    pub model: String,
    /// System text.
    pub system: String,
    /// Largest answer asked for, in tokens.
    pub max_output_tokens: u64,
    /// Budget for visible reasoning in tokens; `None` leaves it off.
    pub thinking_budget_tokens: Option<u64>,
    /// The key in use, which is kept out of everything that is kept or reported.
    pub auth: Auth,
}

/// One conversation with a model that can use tools.
pub struct NativeAgent {
    model: Anthropic,
    toolbox: Toolbox,
    specs: Vec<ToolSpec>,
    settings: Settings,
    transcript: Transcript,
    window_tokens: u64,
    /// Results of the current answer's tools that are done, kept here so that an interrupt loses none.
    results: Vec<Block>,
    continuations: u32,
}

/// What the writing turn gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenReply {
    /// The reply's text.
    pub text: String,
    /// Whether the output cap cut it.
    pub cut: bool,
}

/// One whole answer.
struct Answer {
    content: Vec<Block>,
    stop: StopReason,
    usage: Option<Usage>,
}

impl NativeAgent {
    /// Puts a conversation together.
    pub fn new(
        model: Anthropic,
        toolbox: Toolbox,
        settings: Settings,
        transcript: Transcript,
        window_tokens: u64,
    ) -> Self {
        let specs = toolbox.specs();
        Self {
            model,
            toolbox,
            specs,
            settings,
            transcript,
            window_tokens,
            results: Vec::new(),
            continuations: 0,
        }
    }

    /// The conversation.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// The tools, for what they know (the plan) and for ending what they started.
    pub fn toolbox(&self) -> &Toolbox {
        &self.toolbox
    }

    /// Replaces the conversation by a fresh one; tools and their processes stay.
    pub fn succeed(&mut self, transcript: Transcript) {
        self.transcript = transcript;
        self.results.clear();
        self.continuations = 0;
    }

    /// Takes a changed window, in tokens.
    pub fn set_window(&mut self, window_tokens: u64) {
        self.window_tokens = window_tokens;
    }

    /// Adds words of the person (or of the program on their behalf).
    ///
    /// # Errors
    /// What the system said when the transcript could not be written; the words are kept.
    pub fn say(&mut self, texts: Vec<String>) -> std::io::Result<()> {
        self.transcript.push(Message {
            role: Role::User,
            content: texts
                .iter()
                .map(|text| Block::text(self.settings.auth.scrub(text)))
                .collect(),
        })
    }

    /// Settles what a dropped turn left: every open tool call gets its result, or `reason`.
    ///
    /// # Errors
    /// What the system said when the transcript could not be written; the results are kept.
    pub fn interrupted(&mut self, reason: &str) -> std::io::Result<()> {
        let results = std::mem::take(&mut self.results);
        self.transcript.close_open_calls(results, reason)
    }

    /// Runs one answer and its tools.
    ///
    /// # Errors
    /// The model's error, overflow told by a whole answer included. The conversation is then as
    /// before the turn.
    pub async fn turn(
        &mut self,
        events: &UnboundedSender<AgentEvent>,
    ) -> Result<TurnEnd, ModelError> {
        let mut answer = self.answer(self.transcript.messages(), events).await?;
        self.check_room(&answer)?;
        if answer.stop == StopReason::Refusal {
            return Err(fatal(
                "the model declined to answer; say the task in other words",
            ));
        }
        if answer.stop == StopReason::PauseTurn && answer.content.is_empty() {
            return Err(transient("the server paused without an answer"));
        }
        let cut = answer.stop == StopReason::MaxTokens;
        if cut {
            distrust_last_call(&mut answer.content);
        }
        self.fit(&mut answer.content);
        let calls = calls_of(&answer.content);
        if cut && calls.is_empty() && self.continuations >= MAX_CONTINUATIONS {
            return Err(fatal(&format!(
                "the answer was cut at {} tokens {} times in a row; raise max_output_tokens in the config",
                self.settings.max_output_tokens,
                MAX_CONTINUATIONS + 1
            )));
        }
        report(
            events,
            AgentEvent::Answered {
                estimated_context: self.estimate(self.transcript.messages()),
            },
        );
        let text = self.keep(answer.content, events);
        if !calls.is_empty() {
            self.continuations = 0;
            self.run(calls, events).await;
            return Ok(TurnEnd::Boundary);
        }
        if cut {
            self.continuations += 1;
            note(events, self.say(vec![CONTINUE.trim().to_owned()]));
            return Ok(TurnEnd::Boundary);
        }
        self.continuations = 0;
        Ok(match answer.stop {
            StopReason::PauseTurn => TurnEnd::Boundary,
            StopReason::EndTurn
            | StopReason::ToolUse
            | StopReason::MaxTokens
            | StopReason::Refusal
            | StopReason::ContextWindowExceeded
            | StopReason::Other(_) => TurnEnd::Finished { text },
        })
    }

    /// Asks the same session, with the same parameters its server already accepted, for one answer
    /// made of text. Tool calls in it are not run. Nothing is kept when there is no text.
    ///
    /// # Errors
    /// The model's error; the conversation is then as before.
    pub async fn write(
        &mut self,
        request: &str,
        events: &UnboundedSender<AgentEvent>,
    ) -> Result<WrittenReply, ModelError> {
        let mut messages = self.transcript.messages().to_vec();
        messages.push(Message::user(request));
        let mut answer = self.answer(&messages, events).await?;
        self.check_room(&answer)?;
        if answer.stop == StopReason::Refusal {
            return Err(fatal("the model declined to write the handoff"));
        }
        self.fit(&mut answer.content);
        report(
            events,
            AgentEvent::Answered {
                estimated_context: self.estimate(&messages),
            },
        );
        let text = text_of(&answer.content);
        let cut = answer.stop == StopReason::MaxTokens;
        if !text.trim().is_empty() {
            note(events, self.transcript.push(Message::user(request)));
            note(
                events,
                self.transcript.push(Message {
                    role: Role::Assistant,
                    content: answer.content,
                }),
            );
            note(
                events,
                self.transcript
                    .close_open_calls(Vec::new(), NOT_RUN_WHILE_WRITING),
            );
        }
        Ok(WrittenReply { text, cut })
    }

    /// Streams one answer to its end.
    async fn answer(
        &self,
        messages: &[Message],
        events: &UnboundedSender<AgentEvent>,
    ) -> Result<Answer, ModelError> {
        let request = Request {
            model: &self.settings.model,
            system: &self.settings.system,
            tools: &self.specs,
            messages,
            max_output_tokens: self.settings.max_output_tokens,
            thinking_budget_tokens: self.settings.thinking_budget_tokens,
        };
        let mut stream = std::pin::pin!(self.model.stream(&request));
        let mut content = Vec::new();
        let mut usage = None;
        // For servers that leave the beginning of an answer out.
        let mut id = uuid::Uuid::new_v4().to_string();
        while let Some(event) = stream.next().await {
            match event? {
                ModelEvent::Started { message_id, .. } if !message_id.is_empty() => id = message_id,
                ModelEvent::Started { .. } => {}
                ModelEvent::Usage(latest) => {
                    usage = Some(latest);
                    report(
                        events,
                        AgentEvent::Usage {
                            message_id: id.clone(),
                            usage: latest,
                        },
                    );
                }
                ModelEvent::TextDelta(text) => report(events, AgentEvent::TextDelta(text)),
                ModelEvent::ThinkingDelta(_) => {}
                ModelEvent::Block(block) => content.push(block),
                ModelEvent::Stopped(stop) => {
                    return Ok(Answer {
                        content,
                        stop,
                        usage,
                    });
                }
            }
        }
        Err(transient("the stream ended before the answer did"))
    }

    /// Makes an answer fit to be kept and reported.
    fn fit(&self, content: &mut [Block]) {
        clean::scrub(content, &self.settings.auth);
        clean::make_acceptable(content, self.transcript.messages());
    }

    /// Finds overflows that come as a successful answer.
    fn check_room(&self, answer: &Answer) -> Result<(), ModelError> {
        let usage = answer.usage.unwrap_or_default();
        let full = usage.context().saturating_mul(100)
            >= self.window_tokens.saturating_mul(SILENT_CONTEXT_PERCENT);
        let silent =
            answer.stop == StopReason::MaxTokens && usage.output <= SILENT_OUTPUT_TOKENS && full;
        if answer.stop == StopReason::ContextWindowExceeded || silent {
            return Err(ModelError {
                class: ErrorClass::Overflow,
                ..fatal(&format!(
                    "the answer filled the context window: {} tokens given and {} written",
                    usage.context(),
                    usage.output
                ))
            });
        }
        Ok(())
    }

    /// Reports what a whole answer holds and puts it into the transcript; returns its text.
    fn keep(&mut self, content: Vec<Block>, events: &UnboundedSender<AgentEvent>) -> String {
        for block in &content {
            match block {
                Block::Text { text } if !text.trim().is_empty() => {
                    report(events, AgentEvent::Text(text.clone()));
                }
                Block::Thinking { thinking, .. } if !thinking.trim().is_empty() => {
                    report(events, AgentEvent::Thinking(thinking.clone()));
                }
                Block::Text { .. }
                | Block::Thinking { .. }
                | Block::RedactedThinking { .. }
                | Block::ToolUse { .. }
                | Block::ToolResult { .. } => {}
            }
        }
        let text = text_of(&content);
        // A server refuses an empty assistant message when it comes back.
        if !content.is_empty() {
            note(
                events,
                self.transcript.push(Message {
                    role: Role::Assistant,
                    content,
                }),
            );
        }
        text
    }

    /// Runs the tools an answer asked for, one after the other, and answers all of them.
    async fn run(&mut self, calls: Vec<Block>, events: &UnboundedSender<AgentEvent>) {
        self.results.clear();
        for call in calls {
            let Block::ToolUse {
                id,
                name,
                input,
                malformed,
            } = call
            else {
                continue;
            };
            report(
                events,
                AgentEvent::ToolCall {
                    id: id.clone(),
                    name: name.clone(),
                    input: input.clone(),
                },
            );
            let (text, is_error) = match malformed {
                Some(raw) => (malformed_call(&raw), true),
                None => {
                    let call = ToolCall {
                        id: id.clone(),
                        name,
                        input,
                    };
                    let outcome = self.toolbox.run(&call).await;
                    (self.settings.auth.scrub(&outcome.text), outcome.is_error)
                }
            };
            report(
                events,
                AgentEvent::ToolResult {
                    id: id.clone(),
                    text: text.clone(),
                    is_error,
                },
            );
            self.results.push(Block::ToolResult { id, text, is_error });
        }
        let results = std::mem::take(&mut self.results);
        note(events, self.transcript.close_open_calls(results, "not run"));
    }

    /// Tokens these messages, the system text and the tools probably take.
    fn estimate(&self, messages: &[Message]) -> u64 {
        let spoken: u64 = messages
            .iter()
            .flat_map(|message| &message.content)
            .map(|block| match block {
                Block::Text { text } | Block::ToolResult { text, .. } => tokens::estimate(text),
                Block::Thinking { thinking, .. } => tokens::estimate(thinking),
                Block::RedactedThinking { data } => tokens::estimate(data),
                Block::ToolUse { name, input, .. } => {
                    tokens::estimate(name) + tokens::estimate(&input.to_string())
                }
            })
            .sum();
        let tools: u64 = self
            .specs
            .iter()
            .map(|tool| {
                tokens::estimate(&tool.description)
                    + tokens::estimate(&tool.input_schema.to_string())
            })
            .sum();
        spoken + tools + tokens::estimate(&self.settings.system)
    }
}

/// Sends an event; when the listener is gone the turn is about to be dropped anyway.
fn report(events: &UnboundedSender<AgentEvent>, event: AgentEvent) {
    let _ = events.send(event);
}

/// Reports a transcript that could not be written; the run goes on from memory.
fn note(events: &UnboundedSender<AgentEvent>, written: std::io::Result<()>) {
    if let Err(error) = written {
        report(
            events,
            AgentEvent::Trouble(format!(
                "the transcript could not be written ({error}); the run goes on from memory, free some space"
            )),
        );
    }
}

fn calls_of(content: &[Block]) -> Vec<Block> {
    content
        .iter()
        .filter(|block| matches!(block, Block::ToolUse { .. }))
        .cloned()
        .collect()
}

/// A call that the output cap cut before its arguments began looks like one without arguments.
fn distrust_last_call(content: &mut [Block]) {
    if let Some(Block::ToolUse { malformed, .. }) = content.last_mut() {
        malformed.get_or_insert_default();
    }
}

fn text_of(content: &[Block]) -> String {
    let texts: Vec<&str> = content
        .iter()
        .filter_map(|block| match block {
            Block::Text { text } => Some(text.as_str()),
            Block::Thinking { .. }
            | Block::RedactedThinking { .. }
            | Block::ToolUse { .. }
            | Block::ToolResult { .. } => None,
        })
        .collect();
    texts.join("\n")
}

fn malformed_call(raw: &str) -> String {
    let start: String = raw.chars().take(200).collect();
    format!(
        "not run: the arguments are no valid JSON object (they begin with {start:?}); send the call again"
    )
}

fn fatal(message: &str) -> ModelError {
    ModelError {
        message: message.to_owned(),
        status: None,
        class: ErrorClass::Fatal,
        retry_after: None,
        credentials: false,
    }
}

fn transient(message: &str) -> ModelError {
    ModelError {
        class: ErrorClass::Transient,
        ..fatal(message)
    }
}
