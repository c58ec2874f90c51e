//! A JSON value that is written, not read.

use std::borrow::Cow;
use std::rc::Rc;

use chrono::{DateTime, NaiveDate, Utc};
use serde::ser::{SerializeSeq as _, Serializer};
use serde::{Serialize, ser};

use super::timestamp;

/// A JSON value to be written. The macro [`object!`](crate::object) makes an object, which keeps the order of its members and leaves
/// out those that are absent.
#[derive(Clone)]
pub enum JsonValue<'v> {
    /// No value.
    Absent,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(i128),
    /// A string.
    Text(Cow<'v, str>),
    /// An object.
    Object(Vec<(Cow<'v, str>, Self)>),
    /// An array whose elements are made when they are written, so that a long one takes no memory.
    List(Rc<dyn Fn(&mut ElementWriter<'_>) + 'v>),
}

/// Writes an element of an array.
type ElementWriter<'w> = dyn FnMut(&JsonValue<'_>) + 'w;

/// An object of these members: `object! { "line": 1, "help": None::<&str> }`.
#[macro_export]
macro_rules! object {
    ($($name:literal: $value:expr),* $(,)?) => {
        $crate::text::JsonValue::Object(vec![$(($name.into(), $value.into())),*])
    };
}

impl<'v> JsonValue<'v> {
    /// An array.
    pub fn list<I>(elements: I) -> Self
    where
        I: IntoIterator<Item: Into<Self>, IntoIter: Clone + 'v>,
    {
        let elements = elements.into_iter();
        Self::List(Rc::new(move |write| {
            elements.clone().for_each(|element| write(&element.into()));
        }))
    }

    /// An array; absent if it is empty.
    pub fn list_if_any<I>(elements: I) -> Self
    where
        I: IntoIterator<Item: Into<Self>, IntoIter: Clone + 'v>,
    {
        let elements = elements.into_iter();
        match elements.clone().next() {
            Some(_) => Self::list(elements),
            None => Self::Absent,
        }
    }

    /// The value; absent if it is `false`, zero or empty.
    pub fn unless_default<T: Default + PartialEq + Into<Self>>(value: T) -> Self {
        if value == T::default() {
            Self::Absent
        } else {
            value.into()
        }
    }

    /// The value; `null` if there is none.
    pub fn or_null<T: Into<Self>>(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }

    /// An object with the members of this one, then those of another.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Object(mut members), Self::Object(more)) => {
                members.extend(more);
                Self::Object(members)
            }
            (own, _) => own,
        }
    }
}

impl Serialize for JsonValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Absent | Self::Null => serializer.serialize_none(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => serializer.serialize_i128(*number),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Object(members) => serializer.collect_map(
                members
                    .iter()
                    .filter(|(_, value)| !matches!(value, Self::Absent))
                    .map(|(name, value)| (name, value)),
            ),
            Self::List(each) => write_list(&**each, serializer),
        }
    }
}

fn write_list<S: Serializer>(
    each: &dyn Fn(&mut ElementWriter<'_>),
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut list = serializer.serialize_seq(None)?;
    let mut written = Ok::<(), <S::SerializeSeq as ser::SerializeSeq>::Error>(());
    each(&mut |element| {
        if written.is_ok() {
            written = list.serialize_element(element);
        }
    });
    written?;
    list.end()
}

/// Writes the conversions of types that become one variant.
macro_rules! convert {
    ($($kind:ty => |$value:ident| $made:expr;)*) => {
        $(impl<'v> From<$kind> for JsonValue<'v> {
            fn from($value: $kind) -> Self {
                $made
            }
        })*
    };
}

convert! {
    bool => |value| Self::Bool(value);
    u16 => |number| Self::Number(number.into());
    u32 => |number| Self::Number(number.into());
    i64 => |number| Self::Number(number.into());
    u64 => |number| Self::Number(number.into());
    usize => |number| Self::Number(number as i128);
    &'v str => |text| Self::Text(text.into());
    &'v String => |text| Self::Text(text.into());
    String => |text| Self::Text(text.into());
    Cow<'v, str> => |text| Self::Text(text);
    NaiveDate => |day| Self::Text(day.to_string().into());
    DateTime<Utc> => |time| Self::Text(timestamp(time).into());
}

impl<T: Into<Self>> From<Option<T>> for JsonValue<'_> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::super::safe_json;
    use super::*;

    #[test]
    fn members_keep_their_order_and_absent_ones_are_left_out() {
        let value = object! {
            "z": 1_usize,
            "none": None::<&str>,
            "null": JsonValue::or_null(None::<&str>),
            "a": JsonValue::list(["x", "y"]),
            "empty": JsonValue::list_if_any(Vec::<&str>::new()),
            "off": JsonValue::unless_default(false),
            "kept": object! {},
        };
        let value = value.join(object! { "last": JsonValue::list(Vec::<u32>::new()) });
        let mut out = Vec::new();
        safe_json::compact(&mut out, &value).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            r#"{"z":1,"null":null,"a":["x","y"],"kept":{},"last":[]}"#
        );
    }
}
