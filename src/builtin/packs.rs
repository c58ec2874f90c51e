//! The rule packs: tables about public APIs that are embedded in the program, and used only if the user asks for them.
//!
//! `scripts/refresh-packs` writes them from facts in `testdata/lifecycles`.

use sundown_lint::rules::Pack;

/// All packs, in the order in which they are listed.
pub(crate) const PACKS: &[Pack] = &[
    Pack {
        name: "llm-models",
        about: "Ids of large language models in requests, and deprecated operations and parameters of their services. Only ids whose end the provider or two lists give, and names that move; not the names of deployments, and no day before which a model is only promised not to end.",
        tables: &[
            include_str!("../../rules/packs/llm-models/ai21.toml"),
            include_str!("../../rules/packs/llm-models/amazon-bedrock.toml"),
            include_str!("../../rules/packs/llm-models/anthropic.toml"),
            include_str!("../../rules/packs/llm-models/azure-foundry.toml"),
            include_str!("../../rules/packs/llm-models/azure-openai.toml"),
            include_str!("../../rules/packs/llm-models/cohere.toml"),
            include_str!("../../rules/packs/llm-models/deepseek.toml"),
            include_str!("../../rules/packs/llm-models/google-gemini.toml"),
            include_str!("../../rules/packs/llm-models/google-vertex.toml"),
            include_str!("../../rules/packs/llm-models/groq.toml"),
            include_str!("../../rules/packs/llm-models/mistral.toml"),
            include_str!("../../rules/packs/llm-models/openai.toml"),
            include_str!("../../rules/packs/llm-models/perplexity.toml"),
            include_str!("../../rules/packs/llm-models/together.toml"),
            include_str!("../../rules/packs/llm-models/voyage.toml"),
            include_str!("../../rules/packs/llm-models/xai.toml"),
        ],
    },
    Pack {
        name: "atlassian",
        about: "Search of issues in Jira Cloud. Not Jira Data Center, and not Confluence.",
        tables: &[include_str!("../../rules/packs/atlassian.toml")],
    },
    Pack {
        name: "azure",
        about: "Azure AD Graph, the direct management API of API Management, and `api-version` of API Management, Container Apps and SQL Database. Not the versions of other services.",
        tables: &[
            include_str!("../../rules/packs/azure/ad-graph.toml"),
            include_str!("../../rules/packs/azure/direct-management.toml"),
            include_str!("../../rules/packs/azure/resource-manager.toml"),
        ],
    },
    Pack {
        name: "cloudflare",
        about: "Operations, fields and a header field that the list of API deprecations of Cloudflare names, with their end of life if it has one. Not operations whose paths are in use for something else.",
        tables: &[include_str!("../../rules/packs/cloudflare.toml")],
    },
    Pack {
        name: "github",
        about: "Operations of the GitHub REST API that one of its own descriptions marks with a removal date or its changelog ends, credentials in queries, and `X-GitHub-Api-Version`. Not GitHub Enterprise Server, and not GraphQL.",
        tables: &[include_str!("../../rules/packs/github.toml")],
    },
    Pack {
        name: "google-ads",
        about: "Versions of the Google Ads API with a day of sunset, in paths of REST and gRPC. Not v11 to v13, and not v23 and later, whose end has no day yet.",
        tables: &[include_str!("../../rules/packs/google-ads.toml")],
    },
    Pack {
        name: "gusto",
        about: "Versions in `X-Gusto-API-Version`. Not calls without it, which have the version of their application.",
        tables: &[include_str!("../../rules/packs/gusto.toml")],
    },
    Pack {
        name: "hetzner",
        about: "Data centers in the Hetzner Cloud API. Not the old DNS API, whose end could not be read as a day.",
        tables: &[include_str!("../../rules/packs/hetzner.toml")],
    },
    Pack {
        name: "hubspot",
        about: "APIs of HubSpot with a day of sunset. Not operations whose paths others have, and not keys in queries.",
        tables: &[include_str!("../../rules/packs/hubspot.toml")],
    },
    Pack {
        name: "kubernetes",
        about: "API versions that Kubernetes deprecates or no longer serves, in manifests, audit logs and the paths of other calls, to any host. The day is the end of life of the last release that serves them; `--target-version` grades them by the version of a cluster. Not custom resources, and not lists of all `Endpoints` of a cluster, whose path other services have.",
        tables: &[include_str!("../../rules/packs/kubernetes.toml")],
    },
    Pack {
        name: "linkedin",
        about: "Versions of the Marketing API in `LinkedIn-Version`, and its resources without versions. Not the Talent API, whose versions end later.",
        tables: &[include_str!("../../rules/packs/linkedin.toml")],
    },
    Pack {
        name: "mcp",
        about: "Deprecated methods of the Model Context Protocol, in HTTP messages of paths that end in `/mcp`, of any host. No day, because no revision has removed them yet. Not messages on standard input and output.",
        tables: &[include_str!("../../rules/packs/mcp.toml")],
    },
    Pack {
        name: "meta-graph",
        about: "Versions of the Graph API and of the Marketing API with an expiration date, in paths. Not the version of a call of one ads object by its id alone, whose path does not show that it belongs to the Marketing API.",
        tables: &[include_str!("../../rules/packs/meta-graph.toml")],
    },
    Pack {
        name: "salesforce",
        about: "Retired versions of the REST, SOAP and Bulk APIs of Salesforce, which names their last release and no day. Not versions 31.0 to 40.0, which are supported until Summer '27 and work until Summer '28.",
        tables: &[include_str!("../../rules/packs/salesforce.toml")],
    },
    Pack {
        name: "shopify",
        about: "Versions of the Admin and Storefront APIs in paths, each supported for 12 months. Not single fields or operations.",
        tables: &[include_str!("../../rules/packs/shopify.toml")],
    },
    Pack {
        name: "slack",
        about: "Retired methods of the Web API with a date in the changelog. Not classic apps, whose end has no date.",
        tables: &[include_str!("../../rules/packs/slack.toml")],
    },
    Pack {
        name: "square",
        about: "APIs that Square lists as retired or deprecated. Not single fields.",
        tables: &[include_str!("../../rules/packs/square.toml")],
    },
    Pack {
        name: "twilio",
        about: "Notify, Programmable Chat, the API of 2008, and the Sync preview. Not SDKs, and not products without a path.",
        tables: &[
            include_str!("../../rules/packs/twilio/chat.toml"),
            include_str!("../../rules/packs/twilio/core.toml"),
            include_str!("../../rules/packs/twilio/notify.toml"),
            include_str!("../../rules/packs/twilio/preview.toml"),
        ],
    },
    Pack {
        name: "xero",
        about: "Operations of Xero with a day or a month of removal. Not values that become required.",
        tables: &[include_str!("../../rules/packs/xero.toml")],
    },
    Pack {
        name: "zoom",
        about: "Call logs of Zoom Phone, tasks of the Contact Center, and tokens in queries. Not apps with JWT.",
        tables: &[include_str!("../../rules/packs/zoom.toml")],
    },
];
