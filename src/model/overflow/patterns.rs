//! The wording of overflows and of their look-alikes, as tables over the text that `decode::plain` makes:
//! lower case, no quotes, no underscores, one space between words.
//!
//! A row covers a family of wordings, not one provider's sentence; `tests.rs` and the corpus beside it hold the
//! sentences.

use std::sync::LazyLock;

use regex::{RegexSet, RegexSetBuilder};

/// Lines of a server's log and complaints about its settings, which use the words of an overflow.
const SETTINGS: &[&str] = &[
    r"n ctx train|n ctx per seq|training context|\bvram\b|gpu memory",
    r"max model len[^.]{0,30}is greater than the derived|max seq len[^.]{0,30}is larger than the maximum number",
];

/// Wordings that cannot mean anything else, whatever stands around them.
const CERTAIN: &[&str] = &[
    // The window is named and called too small, in either order; also as an error code.
    r"context (?:window|length|size|limit|budget|capacity|tokens?)(?: (?:limit|size|length|window|has been|have been|has|is|was|been|will be|would be|already|of \d+\w*(?: tokens)?))* (?:exceed|overflow|too long|full\b)",
    r"(?:exceed|overflow|surpass|overr[ua]n)\w*(?: \S+){0,8}? context(?: \S+)? (?:window|length|size|limit|budget|capacity|tokens?)",
    r"(?:longer|larger|greater|bigger|more) than (?:\S+ ){0,6}?(?:context|(?:model|prompt|input) (?:length|len)|models? (?:maximum )?(?:context|length|window))",
    r"context (?:the )?overflow",
    r"out ?of (?:the )?context(?: (?:error|window|length|space)|\W*$)",
    r"(?:ran|running|run) out of (?:room|space|context) in (?:\S+ ){0,3}context",
    r"(?:exceed context|outside of the context window|beyond (?:the |its )?(?:\S+ )?context (?:window|length))",
    // The window is stated and the request is set against it.
    r"(?:context|prompt|sequence|input|model) (?:length|window|size|limit) (?:is|of)(?: only| just)? \d+[km]?(?: tokens)?\W{0,3}(?:however|but|and (?:your|you|the) |you requested|whereas|while )",
    r"(?:context|prompt|sequence|input|model) (?:length|window) (?:is|of)(?: only| just)? \d+[km]?(?: tokens)?\W{0,3}(?:please )?(?:reduce|shorten)",
    r"(?:you passed|your (?:request|prompt|input) (?:has|contains?)) \d+ (?:input |prompt )?tokens.{0,60}(?:context|model|prompt|sequence) length",
    r"prompt tokens \(\d+\) must be (?:less|smaller) than",
    r"model is loaded with (?:a )?context length of only",
    r"tokens to keep from the initial prompt",
    r"too large for model with \d+ maximum context",
    r"maximum supported sequence length",
    r"(?:available|maximum|max) context size.{0,40}(?:increas|exceed|reduc)|context shift is disabled|(?:kv|memory) slot.{0,40}context",
    r"kv cache is full|input (?:prompt )?is too (?:big|long|large) compared to kv",
    // The prompt is called too long, with or without numbers.
    r"prompts?(?: tokens?| length| text| messages?)*(?: \([^)]{0,60}\))?(?: is| are| was| were)? (?:far |much |way )?too (?:long|large|big)\b",
    r"prompt ?(?:内容|长度|token)?(?:超长|过长|太长|超限)",
    r"prompts? exceeds? (?:the )?max(?:imum)? (?:prompt |input )?(?:length|tokens|size|number of tokens)",
    r"(?:input|inputs|messages?|conversation) too long (?:error|exception)|\binput ?too ?long\b|prompt ?too ?long",
    r"(?:input|prompt|content)(?: \S+)? length exceeds? threshold",
    r"max(?:imum)? (?:prompt|input|message|context) tokens? exceeded|input tokens exceeded",
    r"(?:exceed|exceeds|exceeded) (?:the )?max(?:imum)? (?:input |prompt |message |context )tokens?\b",
    r"range of input length should be",
    r"exceed(?:s|ed)? (?:the )?(?:models? )?(?:model |maximum )token limit: ?\d+ \(requested",
    r"(?:input|prompt) token count(?: of| is|:)? ?\(?\d+\)?(?: tokens)?,? (?:which )?(?:but|exceeds? the (?:limit of \d|max))",
    r"inputs?(?: tokens)?(?: \+ max new tokens)? must (?:be <|have less than|have at most|not exceed) ?=? ?\d+",
    r"requested (?:tokens|token count)(?: \(\d+\))? exceeds? (?:\S+ ){0,3}context",
    r"too many tokens: (?:total number|size limit)",
    r"too many (?:input|prompt) tokens\W+max(?:imum)? input",
    r"number of (?:input|prompt) tokens (?:\(\d+\) )?(?:has )?exceed(?:s|ed) (?:the )?max",
    r"max(?:imum)? size: \d+ tokens",
    // Kept for the callers that report it: a limit in bytes, yet only a smaller request cures it.
    r"too many total text bytes",
    // The answer that was asked for is counted in.
    r"(?:context|input|prompt|tokens|length|limit)[^.]{0,60}? \(?(?:i\.e\.? )?\d+ \+ \d+(?: \+ \d+)? ?(?:>=?|exceeds) ?\d+",
    r"tokens? (?:is|are) too large: \d+\W+this models maximum context length",
    r"(?:input|inputs|prompt|messages)(?: tokens| length)? (?:\+|plus|and) (?:the )?(?:max|completion|output|requested)[^.:]{0,60}(?:exceed|larger than|greater than|>)[^.]{0,40}(?:context|model|window)",
    // Chinese.
    r"上下文(?:长度|窗口|大小|容量|总|的|内容|字数|限制|已经?|token ?数?量?|\s)*(?:过长|超长|太长|过大|超出|超过|超限|溢出|已满|用尽|耗尽|装不下|不够|不足)",
    r"(?:超出|超过|超过了|超出了|超|大于|高于|多于|突破)[^。;；，,]{0,16}上下文(?:长度|窗口|大小|容量|限制|上限|范围|的?最大|$)",
    r"(?:输入|提示词|prompt|对话|会话|消息|请求|问题|历史)[^。;；]{0,24}(?:超出|超过|大于|高于)[^。;；频速并额]{0,16}(?:模型|上下文)[^。;；频速并额]{0,10}(?:长度|限制|上限|窗口|范围|最大|token)",
];

/// Wordings of other limits: rates, money, the answer's length, bytes, media, time.
const LOOKALIKE: &[&str] = &[
    r"^\W*(?:(?:api )?error:? |http |status |error code:? )*(?:402|429)\b|status(?: code)?\W{1,3}(?:402|429)\b|code: ?(?:402|429)\b",
    r"rate ?limit|too many requests|throttl|\b[tr]p[mdsh]\b|requests? per|(?:per|each|a|every) (?:second|min|minute|hour|day|week|month)\b|tokens?/(?:min|day|hour|s)",
    r"(?:daily|hourly|weekly|monthly|session) (?:\S+ )?(?:limit|cap|allowance|token|usage)",
    r"quota|credit|billing|balance|payment|insufficient|spend|subscription|pricing|usage limit|usage cap|\bplan\b|overloaded|exhausted",
    r"(?:please|then) (?:wait|try again (?:later|in|after))|retry (?:later|after)|concurren",
    r"max(?:imum)? (?:completion|output|new|generated|generation) (?:tokens?|length)|max tokens (?:is|must|param|should|exceed|value|cannot|to be|too|\W{0,2}\d|参数|超|不|必须|取值|的)|max tokens\W{0,2}$|maximum tokens (?:you|value|param)|range of max tokens|(?:completion|output) (?:tokens?|limit|length)|maximum output|max length of the (?:output|response|completion)|invalid max tokens|thinking budget|budget tokens",
    r"image|pixel|\bpdf|\bpages?\b|audio|video|attachment|\bmedia\b|upload|\bfiles?\b",
    r"\bbytes?\b|\b\d+(?:\.\d+)? ?[kmg]i?b\b|payload|entity too large|request body|body (?:size|length|exceed|too|is)|string too long|\bstring\b.{0,30}length|characters|\bchars?\b|array too long|request too large|content size|header|\buri\b|\burl\b",
    r"deadline|timed? ?out|timeout|cancell?ed|connection|\bdns\b|\bsocket\b|econn|os error|call stack|max retries|redirect",
    r"mcp tool|file content|tool (?:response|result|output|use|call|name|description)|function (?:name|description)|pagination|use offset|\btools\b",
    r"out of memory|oom\b|max (?:model|seq) len|position embeddings|allocat|number of texts|batch size|embedding batch|stop sequences?|temperature|top p\b|top k\b",
    r"api ?key|signature|credential|authenti|authoriz|\bjwt\b|expired",
    r"inappropriate|sensitive|content (?:policy|filter|management)|safety|moderation",
    r"频率|速率|限速|限流|并发|余额|欠费|配额|额度|充值|套餐|资源包|敏感|违规|每分钟|每秒|每日|每天|每小时|当日|每月|次数|图片|图像|视频|音频|文件|附件|字节|请求体|超时|网络|连接|输出|生成长度|最大生成|并行|缓存|max ?tokens ?(?:参数|值|必须|不能|超|应|的)|繁忙|稍后",
];

/// Wordings that mean an overflow unless the text is a look-alike.
const LIKELY: &[&str] = &[
    r"(?:input|inputs|messages?|conversation|chat|history|transcript|query|question|context|content|dialogue|thread|session|text|request|sequence)(?: tokens?| length| text| history| content| messages?)*(?: \([^)]{0,60}\))?(?: is| are| was| were| has become| became| got| have become)?(?: far| much| way)? too (?:long|large|big)\b",
    r"(?:input|prompt|message|messages|request|requested|conversation|sequence|total|history)\b(?: \S+){0,4}? (?:tokens?|length|len)\b(?: \S+){0,4}?(?: \([^)]*\))? (?:exceed|(?:is |are )?(?:longer|larger|greater|more|higher|bigger) than|is over|above|goes over)",
    r"(?:exceed|surpass|over the|above the|beyond the|larger than|longer than|more than|greater than)\w*(?: \S+){0,7}? (?:token limit|max(?:imum)? tokens|number of tokens|max(?:imum)? token count|(?:input|prompt|message|sequence|request|conversation|token)s? (?:length|limit|tokens|size)|input tokens|prompt tokens|message tokens|max(?:imum)? (?:length|size|limit)|model limit|models? (?:limit|maximum|capacity)|(?:model|models) (?:max|input))",
    r"\btokens?(?: count| number| limits?| length)? (?:(?:is|are|was|has been|have been|limits?) )*(?:exceed|reached|over(?:flow|run)|above the limit)",
    r"(?:input|prompt|conversation|history) size\b.{0,40}(?:exceed|larger than|over)",
    r"context\b[^.]{0,40}(?:exceed|overflow|too (?:long|large|big)|\bfull\b|limit reached|reached its limit)",
    r"(?:exceed\w*|overflow\w*|beyond|outside|reached|outgr[eo]w\w*)\b[^.]{0,50}\bcontext\b",
    r"(?:input|prompt|request|messages?|conversation|history|text|content|tokens)\b[^.]{0,80}(?:does ?not|doesnt|do ?not|dont|cannot|can ?not|cant|wont|will not|did not|didnt|not) fit\b",
    r"(?:reduce|shorten|decrease|trim|truncate|shrink) (?:the |your )?(?:(?:length|size|number) of (?:tokens in )?)?(?:the |your )?(?:input|prompt|messages?|conversation|context|chat history)(?: \S+){0,2}(?: length| size| token count| tokens)?",
    r"(?:use|try|provide|send)(?:ing)? (?:a |fewer or )?(?:shorter|smaller) (?:prompt|input|context|messages?)",
    r"max(?:imum)? (?:supported |allowed |number of |permitted )?(?:input|prompt|context|sequence)(?: \S+)? (?:length|size|tokens)\b.{0,60}(?:exceed|\bbut\b|\bgot\b|received|given|requested|actual)",
    r"(?:prompt|input|request|total|message)\b[^.]{0,40}\d+(?: tokens?)? ?>=? ?\d+",
    r"(?:prompt|input|inputs|messages|request|conversation) (?:has|have|contains?|is|are|of|with|needs|requires?) (?:about )?\d+ (?:input |prompt )?tokens?\b.{0,60}(?:exceed|more than|over|above|but|only|max|limit|longer|larger|support|context)",
    r"you passed \d+ (?:input |prompt )?tokens",
    r"at most \d+ (?:input |prompt )?tokens (?:are )?(?:supported|allowed|accepted)|support(?:s|ed)? (?:up to|at most|a maximum of) \d+ (?:input |prompt |context )?tokens?\b.{0,60}(?:input|prompt|request|got|given|received)",
    // Chinese.
    r"(?:输入|提示词|对话|会话|消息|聊天|请求|问题|历史|内容|文本|messages?|input|tokens?)[^。;；]{0,16}(?:过长|超长|太长|超限|过多|太多|超过上限|超出上限)",
    r"(?:输入|提示词|prompt|对话|会话|消息|请求|问题|历史|tokens?|长度)[^。;；]{0,30}(?:超出|超过|大于|高于|达到|多于|不能超过|不得超过|不可超过)[^。;；]{0,20}(?:上限|最大|限制|模型|长度|范围|限定|tokens?|\d{4})",
    r"(?:超出|超过|大于|高于)[^。;；]{0,20}(?:最大|模型|允许|支持)[^。;；]{0,12}(?:长度|tokens?|输入|上限|限制|窗口)",
    r"(?:请|建议)?(?:减少|缩短|精简|缩减)(?:您的|你的)?(?:输入|提示词|prompt|上下文|对话|消息|历史)[^。;；]{0,8}",
];

static SETTINGS_SET: LazyLock<RegexSet> = LazyLock::new(|| set(SETTINGS));
static CERTAIN_SET: LazyLock<RegexSet> = LazyLock::new(|| set(CERTAIN));
static LOOKALIKE_SET: LazyLock<RegexSet> = LazyLock::new(|| set(LOOKALIKE));
static LIKELY_SET: LazyLock<RegexSet> = LazyLock::new(|| set(LIKELY));

/// Tells whether a plain text is an overflow.
pub(super) fn means_overflow(plain: &str) -> bool {
    !SETTINGS_SET.is_match(plain)
        && (CERTAIN_SET.is_match(plain)
            || (!LOOKALIKE_SET.is_match(plain) && LIKELY_SET.is_match(plain)))
}

#[allow(
    clippy::expect_used,
    reason = "the patterns are literals and a test compiles them all"
)]
fn set(patterns: &[&str]) -> RegexSet {
    RegexSetBuilder::new(patterns)
        // Counted gaps over Unicode need more than the default 10 MiB.
        .size_limit(64 << 20)
        .dfa_size_limit(16 << 20)
        .build()
        .expect("a literal pattern compiles")
}
