//! The kinds of errors that servers and networks report, told by status and words.
//!
//! In goes the plain text that the overflow module makes (lower case, no quotes, error codes as words); out
//! comes one [`Kind`], from which both the class and the advice follow.

use std::sync::LazyLock;

use regex::Regex;

use super::ErrorClass;

/// What an error is about, when it is no overflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The key is missing, wrong or not allowed here.
    Credentials,
    /// No credit, no quota, unpaid.
    Money,
    /// A window this account may not use.
    LongContext,
    /// One request takes more than a minute's tokens.
    OverRate,
    /// Too many requests or tokens for now.
    Rate,
    /// The server is overloaded or broken.
    Server,
    /// The answer never arrived whole.
    Network,
    /// The answer that was asked for is longer than the model may give.
    OutputCap,
    /// Too many bytes.
    Bytes,
    /// Images, pages or other media.
    Media,
    /// The server will not speak of it.
    Policy,
    /// No such model or address.
    Missing,
    /// The server's certificate is not trusted.
    Certificate,
    /// The server refuses the request as it stands.
    Refused,
    /// Nothing known.
    Unknown,
}

impl Kind {
    /// Tells the kind of an error; a status outside 300..=599 says nothing, then one named in the text counts.
    pub(super) fn of(status: Option<u16>, plain: &str) -> Self {
        if CREDENTIALS.is_match(plain) {
            return Self::Credentials;
        }
        if MONEY.is_match(plain) {
            return Self::Money;
        }
        if CURRENT_QUOTA.is_match(plain) {
            // The same sentence stands for an empty account and for a full minute; only the latter names a delay.
            return if DELAY.is_match(plain) {
                Self::Rate
            } else {
                Self::Money
            };
        }
        if LONG_CONTEXT.is_match(plain) {
            return Self::LongContext;
        }
        let status = status
            .filter(|status| (300..600).contains(status))
            .or_else(|| status_in(plain));
        match status {
            Some(401 | 403 | 407) => Self::Credentials,
            Some(402) => Self::Money,
            Some(404 | 405 | 410) => Self::detail(plain).unwrap_or(Self::Missing),
            Some(413) if RATE.is_match(plain) => Self::OverRate,
            Some(413) => Self::detail(plain).unwrap_or(Self::Bytes),
            Some(429) => Self::Rate,
            Some(408 | 409 | 425 | 499) => Self::Server,
            Some(300..=499) => Self::detail(plain).unwrap_or(Self::Refused),
            Some(_) => Self::Server,
            None => Self::by_words(plain),
        }
    }

    fn by_words(plain: &str) -> Self {
        if REFUSED_TYPE.is_match(plain) {
            return Self::detail(plain).unwrap_or(Self::Refused);
        }
        if CERTIFICATE.is_match(plain) {
            return Self::Certificate;
        }
        for (words, kind) in [
            (&RATE, Self::Rate),
            (&SERVER, Self::Server),
            (&NETWORK, Self::Network),
        ] {
            if words.is_match(plain) {
                return kind;
            }
        }
        match Self::detail(plain) {
            Some(kind) => kind,
            None if REFUSED.is_match(plain) => Self::Refused,
            None => Self::Unknown,
        }
    }

    fn detail(plain: &str) -> Option<Self> {
        [
            (&OUTPUT_CAP, Self::OutputCap),
            (&MEDIA, Self::Media),
            (&BYTES, Self::Bytes),
            (&POLICY, Self::Policy),
            (&MISSING, Self::Missing),
        ]
        .into_iter()
        .find_map(|(words, kind)| words.is_match(plain).then_some(kind))
    }

    /// Tells what the kind means for the run.
    pub(super) fn class(self) -> ErrorClass {
        match self {
            Self::Rate | Self::Server | Self::Network => ErrorClass::Transient,
            Self::Credentials
            | Self::Money
            | Self::LongContext
            | Self::OverRate
            | Self::OutputCap
            | Self::Bytes
            | Self::Media
            | Self::Policy
            | Self::Missing
            | Self::Certificate
            | Self::Refused => ErrorClass::Fatal,
            Self::Unknown => ErrorClass::Unknown,
        }
    }
}

/// Finds an HTTP status written into the text (`API Error: 529 …`, `"code":400`, `502 Bad Gateway`).
fn status_in(plain: &str) -> Option<u16> {
    static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
        words(
            r"(?:^\W*|\b(?:http(?:/[\d.]+)?|status|status ?code|error|error code|code)\W{1,3}(?:(?:http|status|code)\W{1,3})*)([45]\d\d)(?:[^\w.]|\.\s|\.?$)",
        )
    });
    static PHRASED: LazyLock<Regex> = LazyLock::new(|| {
        words(
            r"\b([45]\d\d) (?:bad request|unauthorized|payment required|forbidden|not found|method not allowed|request time ?-?out|conflict|gone|payload too large|request entity too large|unprocessable|too many requests|internal server error|bad gateway|service (?:temporarily )?unavailable|gateway time ?-?out|overloaded)",
        )
    });
    [&*LABELLED, &*PHRASED]
        .into_iter()
        .find_map(|pattern| pattern.captures(plain)?[1].parse().ok())
}

static CREDENTIALS: LazyLock<Regex> = LazyLock::new(|| {
    words(concat!(
        r"\bunauthori[sz]ed\b|\bunauthenticated\b|\bauthenticat\w*|authori[sz]ation (?:failed|error|denied|required|header)",
        r"|(?:invalid|incorrect|wrong|missing|malformed|expired|revoked|disabled|bad|no|unknown|valid) (?:\S+ )?(?:x api key|api ?keys?|api token|access token|auth token|bearer token|oauth token|credentials?|secret key)\b",
        r"|(?:api ?key|credentials?|access token|auth token|bearer token|oauth token)\b (?:\S+ ){0,2}?(?:invalid|incorrect|missing|required|expired|revoked|disabled|wrong|not valid|not found|not provided|not set)\b",
        r"|permission (?:error|denied)|access ?denied|\bforbidden\b|\btoken (?:has |is |was )?(?:expired|revoked|invalid)\b|(?:^|[:,] ?)invalid token\b",
        r"|security token included|unrecognized ?client|please (?:run /?login|log ?in|sign in)|not logged in|login required|(?:account|organi[sz]ation) (?:has been |is |was )?(?:suspended|deactivated|disabled|banned)",
        r"|身份验证|身份认证|鉴权|认证失败|未授权|未认证|未登录|请先登录|无权限|没有权限|无权访问|权限不足|访问被拒绝",
        r"|(?:无效|错误|过期|失效)的? ?(?:访问)?(?:令牌|密钥|api ?key|token|凭证)|(?:令牌|密钥|api ?key|凭证|token) ?(?:已经?|为|是)? ?(?:无效|错误|过期|失效|不正确|不存在|缺失|为空|空|被禁用)",
    ))
});

static MONEY: LazyLock<Regex> = LazyLock::new(|| {
    words(concat!(
        r"credit balance|insufficient (?:\S+ )?(?:quota|credits?|balance|funds)|not enough (?:credits?|balance|funds|quota)|requires? more credits|(?:out of|no(?: more)?) (?:credits?|funds)\b|can only afford",
        r"|billing (?:error|hard limit|not active|issue|plan|limit)|payment required|unpaid|overdue|arrears|account is not active|spend(?:ing)? (?:limit|cap)|(?:monthly|key|credit) (?:\S+ )?limit (?:has been )?(?:exceeded|reached)|free (?:\S+ )?(?:quota|tier|credits?) (?:\S+ )?(?:exhausted|exceeded|used)",
        r"|(?:purchase|buy|add|top up) (?:more )?(?:credits|funds|balance)|reached your specified api usage limits|free tier only",
        r"|余额不足|余额已|欠费|充值|额度(?:不足|已用|用尽|耗尽|超)|(?:无|没有)可用资源包|账户?已?(?:停用|冻结)",
    ))
});

/// Says no credit at one vendor and a full minute at another.
static CURRENT_QUOTA: LazyLock<Regex> = LazyLock::new(|| {
    words(r"exceeded your current quota|quota (?:has been )?(?:exhausted|used up)")
});

static DELAY: LazyLock<Regex> = LazyLock::new(|| {
    words(r"retry ?delay|retry in \d|retry after|try again in \d|per ?minute|per ?second|per ?day")
});

static LONG_CONTEXT: LazyLock<Regex> =
    LazyLock::new(|| words(r"extra usage is required|long context (?:beta|requests?)\b"));

static RATE: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"rate ?limit|too many (?:concurrent )?(?:requests|tokens per|tokens, please)|throttl|\b[tr]p[mdsh]\b|per (?:second|min|minute|hour|day)\b|quota exceeded|resource (?:has been )?exhausted|concurren\w+ (?:\S+ ){0,3}(?:limit|exceed)|usage limit|频率|速率|限流|限速|并发|频繁|每分钟|每日|每天|配额",
    )
});

static SERVER: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"overloaded|over capacity|at capacity|\bapi error$|\bapi error\b[^:]*(?:,|})|type:api error|(?:internal )?server error|internal error|internal failure|timeout error|temporarily unavailable|service unavailable|unavailable error|bad gateway|gateway time ?-?out|model runner (?:has )?(?:crashed|unexpectedly)|insufficient system resource|is (?:currently )?(?:loading|busy)|try again later|please retry|繁忙|稍后(?:再试|重试)|过载|服务不可用|服务异常|内部错误|系统错误",
    )
});

static NETWORK: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"\bdns\b|name or service not known|name resolution|resolve host|failed to lookup|nodename nor servname|no such host|enotfound|eai again|econn\w+|etimedout|epipe|ehostunreach|enetunreach|connection (?:was |is |has been |got )?(?:reset|refused|closed|aborted|lost|error|terminated|timed out|failed|broken)|connect(?:ion)? error|connection attempt failed|error sending request|broken pipe|reset by peer|refused|timed? ?-?out|timeout|deadline ?exceeded|deadline has elapsed|unexpected (?:eof|end of)|\beof\b|early eof|incomplete (?:message|chunked)|stream (?:ended|closed|disconnected|was cut|error|interrupted|reset)|ended (?:early|before|without)|closed before|message completed|premature|socket hang up|fetch failed|network (?:error|is unreachable|unreachable|connection)|unreachable|no route to host|error decoding response body|error reading a body|tls handshake|超时|网络(?:错误|异常|连接|中断|不可达)|连接(?:被)?(?:重置|拒绝|断开|关闭|中断|失败|超时)|中断",
    )
});

static CERTIFICATE: LazyLock<Regex> =
    LazyLock::new(|| words(r"certificate|unknown ?issuer|self ?-?signed|invalid peer|证书"));

/// Error types that say by themselves that the request is refused.
static REFUSED_TYPE: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"invalid request(?: error)?\b|not found error|request too large\b|bad request(?: error)?\b|validation exception|invalid argument|invalid ?parameter",
    )
});

static REFUSED: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"unsupported|not supported|unprocessable|validation error|invalid (?:params?|value|type|input|json|url|schema)|malformed|must (?:be|have|not)|should (?:be|have|match)|is required|not allowed|may be provided|exceeds? (?:the )?(?:max|limit)|too (?:long|large|many)|参数|非法|不支持|不合法|必须|不能",
    )
});

static OUTPUT_CAP: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"max(?:imum)? (?:completion|output|new) tokens|max tokens|range of max tokens|maximum tokens|(?:completion|output) tokens|thinking.budget|budget tokens|output (?:length|limit)|输出长度|最大输出",
    )
});

static MEDIA: LazyLock<Regex> =
    LazyLock::new(|| words(r"\bimages?\b|pixel|\bpdf\b|audio|video|\bmedia\b|图片|图像|视频|音频"));

static BYTES: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"request (?:entity )?too large|payload|entity too large|body (?:is )?too large|\bbytes\b|string too long|content size|message size|exceeds the maximum size|\b\d+ ?[mk]i?b\b|请求体|字节|文件大小",
    )
});

static POLICY: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"content (?:policy|filter|management)|inappropriate|data ?inspection|moderation|safety|flagged|sensitive|敏感|违规|合规",
    )
});

static MISSING: LazyLock<Regex> = LazyLock::new(|| {
    words(
        r"not ?found|does ?n[o ]?t exist|do(?:es)? not exist|not exist|no such model|unknown model|invalid model|model not|not have access|unsupported model|unknown url|invalid url|no route|模型不存在|不存在",
    )
});

#[allow(
    clippy::expect_used,
    reason = "the patterns are literals and a test compiles them all"
)]
fn words(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a literal pattern compiles")
}
