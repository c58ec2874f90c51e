//! The known shapes of log records, and where each has the pieces of an exchange: one row for each logger or proxy.
//!
//! Names may be nested (`http: {request: {method}}`), joined by dots, partly both, or keys in a list of attributes. A record
//! has the first shape whose method and URL it has. A piece that a row does not name is searched where most shapes have it.

use super::located::TargetForm;

/// A shape of records.
#[derive(Clone, Copy)]
pub(super) struct Preset {
    /// The programs that write it.
    pub(super) title: &'static str,
    /// One of these members must be present, if the method and the URL have names of another shape, too.
    pub(super) signs: &'static [Name],
    pub(super) calls: &'static [CallNames],
    /// Members with a request line (`GET /x HTTP/1.1`), for records without a separate method and URL.
    pub(super) lines: &'static [Name],
    /// The query outside of the URL: a text, or an object of parameters.
    pub(super) queries: &'static [Name],
    /// The host outside of the URL and the `Host` field.
    pub(super) hosts: &'static [Name],
    pub(super) started: &'static [Name],
    pub(super) statuses: &'static [Name],
    pub(super) request: Places,
    pub(super) response: Places,
    /// Objects that may announce a deprecation, besides header fields.
    pub(super) annotations: &'static [Name],
    /// The stage of the call that the record is about, for logs with several records of each call.
    pub(super) stages: &'static [Name],
    /// Whether bodies are also searched in other places.
    pub(super) others: Others,
    pub(super) spelling: Spelling,
    /// What the method is written as.
    pub(super) form: TargetForm,
}

/// How the names of a row are compared with those of members.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// As they are.
    Exact,
    /// Without regard to case, `_` and `-`. Such names are too common to prove a call: the values must be a method of HTTP and
    /// a path or URL.
    Any,
}

/// The places of one half of an exchange.
#[derive(Clone, Copy)]
pub(super) struct Places {
    pub(super) headers: &'static [Name],
    pub(super) bodies: &'static [Name],
}

/// The places besides those of a row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Others {
    /// Any member with the name of a body.
    Any,
    /// None: such a member is something else.
    None,
}

/// The names of a method and of the URLs that belong to it.
#[derive(Clone, Copy)]
pub(super) struct CallNames {
    pub(super) method: Name,
    pub(super) urls: &'static [Name],
}

const NOWHERE: Places = Places {
    headers: &[],
    bodies: &[],
};

/// An empty row, from which others are made.
const ROW: Preset = Preset {
    title: "",
    signs: &[],
    calls: &[],
    lines: &[],
    queries: &[],
    hosts: &[],
    started: &[],
    statuses: &[],
    request: NOWHERE,
    response: NOWHERE,
    annotations: &[],
    stages: &[],
    others: Others::Any,
    spelling: Spelling::Exact,
    form: TargetForm::Url,
};

/// The common part of gateways that are built on nginx and Lua.
const GATEWAY: Preset = Preset {
    calls: &[CallNames {
        method: Name::new("request.method"),
        urls: &names(["request.url", "request.uri"]),
    }],
    queries: &names(["request.querystring"]),
    statuses: &names(["response.status"]),
    request: Places {
        headers: &names(["request.headers"]),
        bodies: &names(["request.body"]),
    },
    response: Places {
        headers: &names(["response.headers"]),
        bodies: &names(["response.body"]),
    },
    ..ROW
};

/// The members in which records have the user agent outside of header fields.
pub const USER_AGENT_MEMBERS: [&str; 11] = [
    "http_user_agent",
    "user_agent.original",
    "http.user_agent",
    "user_agent",
    "userAgent",
    "http.useragent",
    "httpRequest.userAgent",
    "requestContext.http.userAgent",
    "request_User-Agent",
    "ClientRequestUserAgent",
    "attributes.http.user_agent",
];

/// All known shapes; the first that fits a record applies.
pub(super) const PRESETS: &[Preset] = &[
    Preset {
        title: "pino-http",
        calls: &[CallNames {
            method: Name::new("req.method"),
            urls: &names(["req.url", "req.path"]),
        }],
        queries: &names(["req.query"]),
        hosts: &names(["req.host", "req.hostname"]),
        started: &names(["time"]),
        statuses: &names(["res.statusCode"]),
        request: Places {
            headers: &names(["req.headers"]),
            bodies: &names(["req.body"]),
        },
        response: Places {
            headers: &names(["res.headers"]),
            bodies: &names(["res.body"]),
        },
        ..ROW
    },
    Preset {
        title: "Caddy",
        signs: &names(["resp_headers", "request.proto"]),
        calls: &[CallNames {
            method: Name::new("request.method"),
            urls: &names(["request.uri"]),
        }],
        hosts: &names(["request.host"]),
        started: &names(["ts"]),
        statuses: &names(["status"]),
        request: Places {
            headers: &names(["request.headers"]),
            bodies: &[],
        },
        response: Places {
            headers: &names(["resp_headers"]),
            bodies: &names(["resp_body"]),
        },
        ..ROW
    },
    Preset {
        title: "Kong (http-log, file-log and its other loggers)",
        signs: &names(["latencies", "upstream_uri"]),
        started: &names(["started_at"]),
        ..GATEWAY
    },
    Preset {
        title: "APISIX (file-logger, http-logger and its other loggers)",
        signs: &names(["route_id", "service_id", "apisix_latency"]),
        started: &names(["start_time"]),
        ..GATEWAY
    },
    Preset {
        title: "Any with a `request`",
        calls: &[CallNames {
            method: Name::new("request.method"),
            urls: &names(["request.url", "request.uri", "request.path"]),
        }],
        queries: &names(["request.querystring", "request.query"]),
        hosts: &names(["request.host", "request.hostname"]),
        request: Places {
            headers: &names(["request.headers"]),
            bodies: &names(["request.body"]),
        },
        response: Places {
            headers: &names(["response.headers"]),
            bodies: &names(["response.body"]),
        },
        ..ROW
    },
    Preset {
        title: "Datadog (standard attributes, by themselves or in exports)",
        signs: &names([
            "http.url_details",
            "attributes.http.url_details",
            "attributes.attributes.http",
            "ddsource",
            "ddtags",
        ]),
        calls: &[
            CallNames {
                method: Name::new("http.method"),
                urls: DATADOG_URLS,
            },
            CallNames {
                method: Name::new("attributes.http.method"),
                urls: DATADOG_URLS,
            },
            CallNames {
                method: Name::new("attributes.attributes.http.method"),
                urls: DATADOG_URLS,
            },
        ],
        queries: &names([
            "http.url_details.queryString",
            "attributes.http.url_details.queryString",
            "attributes.attributes.http.url_details.queryString",
        ]),
        hosts: &names([
            "http.url_details.host",
            "attributes.http.url_details.host",
            "attributes.attributes.http.url_details.host",
        ]),
        started: &names(["date", "timestamp", "attributes.timestamp"]),
        statuses: &names([
            "http.status_code",
            "attributes.http.status_code",
            "attributes.attributes.http.status_code",
        ]),
        ..ROW
    },
    Preset {
        title: "Elastic Common Schema (ECS)",
        calls: &[CallNames {
            method: Name::new("http.request.method"),
            urls: &names(["url.full", "url.original", "url.path"]),
        }],
        queries: &names(["url.query"]),
        hosts: &names(["url.domain"]),
        started: &names(["@timestamp"]),
        statuses: &names(["http.response.status_code"]),
        request: Places {
            headers: &names(["http.request.headers"]),
            bodies: &names(["http.request.body.content", "http.request.body"]),
        },
        response: Places {
            headers: &names(["http.response.headers"]),
            bodies: &names(["http.response.body.content", "http.response.body"]),
        },
        ..ROW
    },
    Preset {
        title: "OpenTelemetry, old names of attributes, without what is around them",
        calls: &[CallNames {
            method: Name::new("http.method"),
            urls: &names(["http.url", "http.target", "url.full", "url.path"]),
        }],
        hosts: &names(["http.host"]),
        statuses: &names(["http.status_code", "http.response.status_code"]),
        ..ROW
    },
    Preset {
        title: "OpenTelemetry (spans and log records: by themselves, or in batches of OTLP as the collector's file exporter writes them)",
        calls: &[
            CallNames {
                method: Name::new("attributes.http.request.method"),
                urls: OTEL_URLS,
            },
            CallNames {
                method: Name::new("attributes.http.method"),
                urls: OTEL_URLS,
            },
        ],
        queries: &names(["attributes.url.query"]),
        hosts: &names([
            "attributes.url.domain",
            "attributes.server.address",
            "attributes.http.host",
            "attributes.net.peer.name",
        ]),
        started: &names([
            "startTimeUnixNano",
            "timeUnixNano",
            "start_time",
            "Timestamp",
        ]),
        statuses: &names([
            "attributes.http.response.status_code",
            "attributes.http.status_code",
        ]),
        request: Places {
            headers: &[],
            bodies: &names([
                "attributes.http.request.body.content",
                "attributes.http.request.body",
            ]),
        },
        response: Places {
            headers: &[],
            bodies: &names([
                "attributes.http.response.body.content",
                "attributes.http.response.body",
            ]),
        },
        // A log record's own `body` is its message.
        others: Others::None,
        ..ROW
    },
    Preset {
        title: "Google Cloud (request logs of Cloud Logging and its load balancers)",
        calls: &[CallNames {
            method: Name::new("httpRequest.requestMethod"),
            urls: &names(["httpRequest.requestUrl"]),
        }],
        started: &names(["timestamp"]),
        statuses: &names(["httpRequest.status"]),
        ..ROW
    },
    Preset {
        title: "Traefik (access logs in JSON)",
        calls: &[CallNames {
            method: Name::new("RequestMethod"),
            urls: &names(["RequestPath"]),
        }],
        lines: &names(["RequestLine"]),
        hosts: &names(["RequestHost", "RequestAddr"]),
        started: &names(["StartUTC", "time"]),
        statuses: &names(["DownstreamStatus", "OriginStatus"]),
        ..ROW
    },
    Preset {
        title: "AWS Lambda (events of function URLs and HTTP APIs)",
        calls: &[
            CallNames {
                method: Name::new("requestContext.http.method"),
                urls: &names(["rawPath", "requestContext.http.path"]),
            },
            CallNames {
                method: Name::new("event.requestContext.http.method"),
                urls: &names(["event.rawPath", "event.requestContext.http.path"]),
            },
            CallNames {
                method: Name::new("event.httpMethod"),
                urls: &names(["event.path"]),
            },
        ],
        queries: &names([
            "rawQueryString",
            "event.rawQueryString",
            "event.queryStringParameters",
        ]),
        hosts: &names([
            "requestContext.domainName",
            "event.requestContext.domainName",
        ]),
        started: &names(["requestContext.timeEpoch", "event.requestContext.timeEpoch"]),
        request: Places {
            headers: &names(["headers", "event.headers"]),
            bodies: &names(["body", "event.body"]),
        },
        ..ROW
    },
    Preset {
        title: "Amazon API Gateway (access logs in JSON, events of REST APIs)",
        calls: &[CallNames {
            method: Name::new("httpMethod"),
            urls: &names(["path", "resourcePath"]),
        }],
        lines: &names(["routeKey"]),
        hosts: &names(["domainName"]),
        started: &names(["requestTimeEpoch", "requestTime"]),
        statuses: &names(["status"]),
        ..ROW
    },
    Preset {
        title: "Envoy, Istio, Envoy Gateway (access logs in JSON)",
        signs: &names(["response_flags", "response_code"]),
        calls: &[CallNames {
            method: Name::new("method"),
            urls: &names(["x-envoy-origin-path", "path"]),
        }],
        hosts: &names(["authority", ":authority"]),
        started: &names(["start_time"]),
        statuses: &names(["response_code"]),
        ..ROW
    },
    Preset {
        title: "nginx (JSON by `log_format`, members called like its variables)",
        calls: &[CallNames {
            method: Name::new("request_method"),
            urls: &names(["request_uri", "uri", "request_url", "document_uri"]),
        }],
        lines: &names(["request"]),
        queries: &names(["args", "query_string", "request_query"]),
        hosts: &names(["http_host", "host", "server_name"]),
        started: &names(["time_iso8601", "time_local", "msec", "@timestamp"]),
        statuses: &names(["status"]),
        request: Places {
            headers: &names(["request_headers"]),
            bodies: &names(["request_body"]),
        },
        response: Places {
            headers: &names(["response_headers"]),
            bodies: &names(["response_body"]),
        },
        ..ROW
    },
    Preset {
        title: "Rails (Lograge, Logstasher)",
        signs: &names(["controller"]),
        calls: &[CallNames {
            method: Name::new("method"),
            urls: &names(["path"]),
        }],
        hosts: &names(["host"]),
        started: &names(["time", "@timestamp"]),
        statuses: &names(["status"]),
        // Rails joins the fields of both.
        queries: &names(["params"]),
        request: Places {
            headers: &names(["headers"]),
            bodies: &names(["params"]),
        },
        ..ROW
    },
    Preset {
        title: "Kubernetes (audit events of an API server)",
        signs: &names(["auditID"]),
        calls: &[CallNames {
            method: Name::new("verb"),
            urls: &names(["requestURI"]),
        }],
        started: &names(["requestReceivedTimestamp", "stageTimestamp"]),
        statuses: &names(["responseStatus.code"]),
        request: Places {
            headers: &[],
            bodies: &names(["requestObject"]),
        },
        response: Places {
            headers: &[],
            bodies: &names(["responseObject"]),
        },
        annotations: &names(["annotations"]),
        stages: &names(["stage"]),
        others: Others::None,
        form: TargetForm::ResourceVerb,
        ..ROW
    },
    Preset {
        title: "Any other",
        calls: &[CallNames {
            method: Name::new("method"),
            urls: &names([
                "url",
                "uri",
                "path",
                "request.url",
                "url.full",
                "url.original",
                "url.path",
            ]),
        }],
        ..ROW
    },
    Preset {
        title: "HTTP/2 (pseudo-header fields, by themselves or among header fields)",
        calls: &[
            CallNames {
                method: Name::new(":method"),
                urls: &names([":path"]),
            },
            CallNames {
                method: Name::new("request.headers.:method"),
                urls: &names(["request.headers.:path"]),
            },
            CallNames {
                method: Name::new("req.headers.:method"),
                urls: &names(["req.headers.:path"]),
            },
            CallNames {
                method: Name::new("request_headers.:method"),
                urls: &names(["request_headers.:path"]),
            },
            CallNames {
                method: Name::new("headers.:method"),
                urls: &names(["headers.:path"]),
            },
        ],
        hosts: &names([
            ":authority",
            "request.headers.:authority",
            "req.headers.:authority",
            "request_headers.:authority",
            "headers.:authority",
        ]),
        ..ROW
    },
    Preset {
        title: "Any spelling (`Method`, `RequestPath`, `request-body`), with a method of HTTP and a path or URL",
        calls: &[
            CallNames {
                method: Name::new("method"),
                urls: SPELLED_URLS,
            },
            CallNames {
                method: Name::new("verb"),
                urls: SPELLED_URLS,
            },
            CallNames {
                method: Name::new("http_method"),
                urls: SPELLED_URLS,
            },
            CallNames {
                method: Name::new("http_verb"),
                urls: SPELLED_URLS,
            },
            CallNames {
                method: Name::new("request_method"),
                urls: SPELLED_URLS,
            },
            CallNames {
                method: Name::new("request.method"),
                urls: &names([
                    "request.url",
                    "request.uri",
                    "request.path",
                    "request.endpoint",
                    "request.request_uri",
                ]),
            },
        ],
        queries: &names(["query_string", "query"]),
        hosts: &names(["request_host", "authority"]),
        request: Places {
            headers: &names(["request_headers", "req_headers", "request.headers"]),
            bodies: &names(["request_body", "req_body", "request.body"]),
        },
        response: Places {
            headers: &names(["response_headers", "resp_headers", "res_headers"]),
            bodies: &names(["response_body", "resp_body", "res_body", "response.body"]),
        },
        spelling: Spelling::Any,
        ..ROW
    },
];

const SPELLED_URLS: &[Name] = &names([
    "url",
    "uri",
    "path",
    "endpoint",
    "request_url",
    "request_uri",
    "request_path",
    "full_url",
    "http_url",
    "http_path",
]);

const DATADOG_URLS: &[Name] = &names([
    "http.url_details.path",
    "http.url",
    "attributes.http.url_details.path",
    "attributes.http.url",
    "attributes.attributes.http.url_details.path",
    "attributes.attributes.http.url",
]);

const OTEL_URLS: &[Name] = &names([
    "attributes.url.full",
    "attributes.url.original",
    "attributes.http.url",
    "attributes.url.path",
    "attributes.http.target",
]);

/// The usual places of a separate query.
pub(super) const QUERIES: &[Name] = &names([
    "url.query",
    "request.querystring",
    "request.queryString",
    "request.query",
    "req.query",
    "query",
    "queryString",
    "query_string",
    "querystring",
    "queryParams",
    "query_params",
    "queryParameters",
    "query_parameters",
    "queryStringParameters",
    "multiValueQueryStringParameters",
]);

/// The usual places of the host. The `host` of a log is mostly the machine that wrote it.
pub(super) const HOSTS: &[Name] = &names([
    "request.host",
    "req.host",
    "req.hostname",
    "request.hostname",
    "url.domain",
    "http_host",
]);

/// The usual places of the time.
pub(super) const STARTED: &[Name] = &names([
    "startedDateTime",
    "started",
    "started_at",
    "@timestamp",
    "timestamp",
    "Timestamp",
    "time",
    "ts",
    "startTimeUnixNano",
    "timeUnixNano",
]);

/// The usual places of the status of the response.
pub(super) const STATUSES: &[Name] = &names([
    "response.status",
    "response.statusCode",
    "response.status_code",
    "response.code",
    "res.statusCode",
    "res.status",
    "res.status_code",
    "http.response.status_code",
    "http.status_code",
    "statusCode",
    "status_code",
    "response_status",
    "responseStatus",
    "response_code",
    ":status",
    "response.headers.:status",
    "status",
]);

/// The usual places of a request.
pub(super) const REQUEST: MessageNames = MessageNames {
    bodies: &names([
        "request.body",
        "req.body",
        "http.request.body.content",
        "http.request.body",
        "request_body",
        "req_body",
        "requestBody",
        "reqBody",
        "request.payload",
        "request.content",
        "request.data",
        "request.json",
        "req.payload",
        "req.data",
        "request_payload",
        "requestPayload",
        "body",
        "payload",
    ]),
    headers: &names([
        "request.headers",
        "req.headers",
        "http.request.headers",
        "headers",
    ]),
    itself: ["request", "req"],
};

/// The usual places of a response.
pub(super) const RESPONSE: MessageNames = MessageNames {
    bodies: &names([
        "response.body",
        "res.body",
        "http.response.body.content",
        "http.response.body",
        "response_body",
        "resp_body",
        "res_body",
        "responseBody",
        "resBody",
        "response.payload",
        "response.content",
        "response.data",
        "response.json",
        "res.payload",
        "res.data",
        "response_payload",
        "responsePayload",
    ]),
    headers: &names([
        "response.headers",
        "res.headers",
        "http.response.headers",
        "resp_headers",
    ]),
    itself: ["response", "res"],
};

/// Members beside a URL that make a record without a method an exchange.
pub(super) const SIGNS: &[Name] = &names([
    "request",
    "response",
    "req",
    "res",
    "http.request",
    "http.response",
    "httpRequest",
]);

/// The usual places of a message.
pub(super) struct MessageNames {
    pub(super) bodies: &'static [Name],
    pub(super) headers: &'static [Name],
    /// The members with a message or, in some logs, the body itself.
    pub(super) itself: [&'static str; 2],
}

/// The dotted name of a member, and a sign by which most records are known not to have it.
#[derive(Clone, Copy)]
pub(super) struct Name {
    pub(super) path: &'static str,
    pub(super) sign: u64,
}

impl Name {
    const fn new(path: &'static str) -> Self {
        Self {
            path,
            sign: sign(path.as_bytes()),
        }
    }
}

const fn names<const N: usize>(paths: [&'static str; N]) -> [Name; N] {
    let mut names = [Name { path: "", sign: 0 }; N];
    let mut at = 0;
    while at < N {
        names[at] = Name::new(paths[at]);
        at += 1;
    }
    names
}

/// One bit of 64 for the part of a name before the first dot, in any spelling.
pub(super) const fn sign(bytes: &[u8]) -> u64 {
    let mut hash = 0u32;
    let mut at = 0;
    while at < bytes.len() && bytes[at] != b'.' {
        if bytes[at] != b'_' && bytes[at] != b'-' {
            hash = hash
                .wrapping_mul(31)
                .wrapping_add(bytes[at].to_ascii_lowercase() as u32);
        }
        at += 1;
    }
    1 << (hash.wrapping_mul(0x9E37_79B9) >> 26)
}

/// The documentation of a shape.
#[derive(Debug, Clone)]
pub struct LogShape {
    /// The programs that write it.
    pub title: &'static str,
    /// One of these members must be present; empty if the method and the URL suffice.
    pub told_by: Vec<&'static str>,
    /// The pieces, each with its names in order.
    pub pieces: Vec<(&'static str, Vec<&'static str>)>,
}

/// All known shapes of log records, in the order in which they are tried.
pub fn log_shapes() -> impl Iterator<Item = LogShape> {
    PRESETS.iter().map(LogShape::of)
}

impl LogShape {
    fn of(preset: &Preset) -> Self {
        fn paths(names: &[Name]) -> Vec<&'static str> {
            names.iter().map(|name| name.path).collect()
        }
        let mut urls: Vec<&'static str> = Vec::new();
        for url in preset.calls.iter().flat_map(|call| paths(call.urls)) {
            if !urls.contains(&url) {
                urls.push(url);
            }
        }
        let mut pieces = vec![
            (
                "method",
                preset.calls.iter().map(|call| call.method.path).collect(),
            ),
            ("URL", urls),
            ("request line", paths(preset.lines)),
            ("query", paths(preset.queries)),
            ("host", paths(preset.hosts)),
            ("time", paths(preset.started)),
            ("status", paths(preset.statuses)),
            ("request headers", paths(preset.request.headers)),
            ("request body", paths(preset.request.bodies)),
            ("response headers", paths(preset.response.headers)),
            ("response body", paths(preset.response.bodies)),
            ("announcements", paths(preset.annotations)),
            ("stage", paths(preset.stages)),
        ];
        pieces.retain(|(_, names)| !names.is_empty());
        Self {
            title: preset.title,
            told_by: paths(preset.signs),
            pieces,
        }
    }
}
