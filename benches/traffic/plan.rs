//! The plan of a body: the slots for deprecated elements, and those to fill.

/// One side of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The exchange itself: its operation is deprecated.
    Operation,
    /// The request's body.
    Request,
    /// The response's body.
    Response,
}

impl Side {
    /// The side as reports name it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Operation => "operation",
            Self::Request => "request",
            Self::Response => "response",
        }
    }
}

/// A deprecated element that was planted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Use {
    /// Method and path template of its operation.
    pub(crate) operation: &'static str,
    /// Its side of the exchange.
    pub(crate) side: Side,
    /// Its JSON Pointer in the body; `None` for an operation.
    pub(crate) pointer: Option<String>,
    /// The rule of the built-in table that finds it.
    pub(crate) rule: &'static str,
    /// The pointer of the deprecated element around it; it is a related location of that finding.
    pub(crate) inside: Option<String>,
}

macro_rules! slots {
    ($($slot:ident $rule:literal)*) => {
        /// A place of a deprecated element that bodies have a site for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Slot { $($slot),* }

        impl Slot {
            /// All slots, in the order of their bits.
            pub(super) const ALL: &[Self] = &[$(Self::$slot),*];

            /// The rule that finds the element.
            pub(super) fn rule(self) -> &'static str {
                match self { $(Self::$slot => $rule),* }
            }
        }
    };
}

// Slots of one rule differ in the position of the element: under a member of a certain name, or at the body's root.
slots! {
    IsNegated "createannouncement-is-negated"
    BoardId "createannouncement-board-id"
    RootBoardId "createannouncement-board-id"
    RelatedDocuments "createannouncement-documents"
    RelatedResults "createannouncement-documents"
    Snippet "createannouncement-snippet"
    Inviter "invite-info-inviter"
    InviteTime "createannouncement-invite-time"
    RootInviteTime "createannouncement-invite-time"
    ReminderTime "createannouncement-reminder-time"
    RootReminderTime "createannouncement-reminder-time"
    Reactions "createannouncement-reactions"
    ViewerRole "createannouncement-role"
    RootRole "createannouncement-role"
    Citations "chat-citations"
    AnswerToken "getanswer-tracking-token"
    RootAnswerToken "getanswer-tracking-token"
    CollectionToken "getcollection-tracking-token"
    Satisfaction "insights-search-session-satisfaction"
    GleanAssist "insights-glean-assist"
    InfoTypes "policy-sensitive-info-types"
    ContentInfoTypes "policy-content-sensitive-info-types"
    Threshold "policy-likelihood-threshold"
    RootThreshold "policy-likelihood-threshold"
    UrlGreenlist "policy-url-greenlist"
    Datasources "policy-datasources"
    ExternalSharing "policy-external-sharing-options"
    SharingEnabled "policy-enabled"
    SharingByLink "policy-anyone-with-link-enabled"
    SensitiveTerms "policy-sensitive-terms"
    SensitiveRegexes "policy-sensitive-regexes"
    EmployeeLocation "indexemployee-location"
}

/// A set of slots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Slots(u64);

impl Slots {
    pub(super) const NONE: Self = Self(0);

    pub(super) const fn of(slots: &[Slot]) -> Self {
        let mut set = 0;
        let mut next = 0;
        while next < slots.len() {
            set |= 1 << slots[next] as u64;
            next += 1;
        }
        Self(set)
    }

    pub(super) const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    pub(super) fn insert(&mut self, slot: Slot) {
        self.0 |= Self::of(&[slot]).0;
    }

    pub(super) fn remove(&mut self, slot: Slot) {
        self.0 &= !Self::of(&[slot]).0;
    }

    pub(super) fn has(self, slot: Slot) -> bool {
        self.meets(Self::of(&[slot]))
    }

    pub(super) fn meets(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Slot> {
        Slot::ALL
            .iter()
            .copied()
            .filter(move |&slot| self.has(slot))
    }
}
