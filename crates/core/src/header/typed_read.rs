use std::str::{self, FromStr};

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, MapAccess, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::{DeserializeHeadersError, HeaderIter, HeaderMap};

type Result<T, E = DeserializeHeadersError> = std::result::Result<T, E>;

/// Reads a header contract.
pub(super) fn from_headers<T: DeserializeOwned>(headers: &HeaderMap) -> Result<T> {
    T::deserialize(Contract(headers))
}

/// The contract as a whole: a struct reads the headers it names, a map reads them all.
struct Contract<'de>(&'de HeaderMap);

impl<'de> Deserializer<'de> for Contract<'de> {
    type Error = DeserializeHeadersError;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value> {
        Err(DeserializeHeadersError::TopLevel {
            kind: "a self-describing value",
        })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct seq tuple tuple_struct enum identifier
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_map(Fields {
            headers: self.0,
            left: fields.iter(),
            value: None,
        })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_map(Entries {
            left: self.0.into_iter(),
            value: None,
        })
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }
}

/// The declared fields that have a header. The others stay out, so that `serde` decides between an
/// error, `None` and a default.
struct Fields<'de> {
    headers: &'de HeaderMap,
    left: std::slice::Iter<'static, &'static str>,
    value: Option<Value<'de>>,
}

impl<'de> MapAccess<'de> for Fields<'de> {
    type Error = DeserializeHeadersError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        for header in self.left.by_ref().copied() {
            if let Some(bytes) = self.headers.get(header) {
                self.value = Some(Value { header, bytes });
                return seed
                    .deserialize(BorrowedStrDeserializer::new(header))
                    .map(Some);
            }
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        next_value(&mut self.value, seed)
    }
}

struct Entries<'de> {
    left: HeaderIter<'de>,
    value: Option<Value<'de>>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = DeserializeHeadersError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let Some((header, bytes)) = self.left.next() else {
            return Ok(None);
        };
        self.value = Some(Value { header, bytes });
        seed.deserialize(BorrowedStrDeserializer::new(header))
            .map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        next_value(&mut self.value, seed)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left.len())
    }
}

fn next_value<'de, S: DeserializeSeed<'de>>(
    value: &mut Option<Value<'de>>,
    seed: S,
) -> Result<S::Value> {
    let out_of_turn = || serde::de::Error::custom("a header value was asked for before its name");
    seed.deserialize(value.take().ok_or_else(out_of_turn)?)
}

/// The value of one header.
#[derive(Clone, Copy)]
struct Value<'de> {
    header: &'de str,
    bytes: &'de [u8],
}

impl<'de> Value<'de> {
    fn text(self) -> Result<&'de str> {
        let not_utf8 = |_| DeserializeHeadersError::NotUtf8 {
            header: self.header.to_owned(),
        };
        str::from_utf8(self.bytes).map_err(not_utf8)
    }

    fn parse<T: FromStr>(self, expected: &'static str) -> Result<T> {
        let text = self.text()?;
        text.parse().map_err(|_| self.not_a(expected))
    }

    fn parse_bool(self) -> Result<bool> {
        match self.text()? {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(self.not_a("bool")),
        }
    }

    #[cold]
    fn not_a(self, expected: &'static str) -> DeserializeHeadersError {
        DeserializeHeadersError::Parse {
            header: self.header.to_owned(),
            expected,
            value: String::from_utf8_lossy(self.bytes).into_owned(),
        }
    }

    #[cold]
    fn unsupported<T>(self, kind: &'static str) -> Result<T> {
        Err(DeserializeHeadersError::UnsupportedShape {
            header: self.header.to_owned(),
            kind,
        })
    }
}

macro_rules! parse {
    ($($method:ident $visit:ident $ty:ident,)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            visitor.$visit(self.parse(stringify!($ty))?)
        }
    )*};
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = DeserializeHeadersError;

    parse! {
        deserialize_i8 visit_i8 i8,
        deserialize_i16 visit_i16 i16,
        deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64,
        deserialize_i128 visit_i128 i128,
        deserialize_u8 visit_u8 u8,
        deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32,
        deserialize_u64 visit_u64 u64,
        deserialize_u128 visit_u128 u128,
        deserialize_f32 visit_f32 f32,
        deserialize_f64 visit_f64 f64,
        deserialize_char visit_char char,
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_bool(self.parse_bool()?)
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match str::from_utf8(self.bytes) {
            Ok(text) => visitor.visit_borrowed_str(text),
            Err(_) => visitor.visit_borrowed_bytes(self.bytes),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_borrowed_bytes(self.bytes)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_enum(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }

    fn deserialize_unit<V: Visitor<'de>>(self, _: V) -> Result<V::Value> {
        self.unsupported("a unit")
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, _: V) -> Result<V::Value> {
        self.unsupported("a unit struct")
    }

    fn deserialize_seq<V: Visitor<'de>>(self, _: V) -> Result<V::Value> {
        self.unsupported("a sequence")
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value> {
        self.unsupported("a tuple")
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        _: V,
    ) -> Result<V::Value> {
        self.unsupported("a tuple struct")
    }

    fn deserialize_map<V: Visitor<'de>>(self, _: V) -> Result<V::Value> {
        self.unsupported("a map")
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value> {
        self.unsupported("a nested struct")
    }
}

/// The variant is the text; there is nowhere for its data to be.
impl<'de> EnumAccess<'de> for Value<'de> {
    type Error = DeserializeHeadersError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self)> {
        let variant = BorrowedStrDeserializer::new(self.text()?);
        seed.deserialize(variant).map(|value| (value, self))
    }
}

impl<'de> VariantAccess<'de> for Value<'de> {
    type Error = DeserializeHeadersError;

    fn unit_variant(self) -> Result<()> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, _: S) -> Result<S::Value> {
        self.unsupported("a data-carrying enum variant")
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value> {
        self.unsupported("a tuple variant")
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value> {
        self.unsupported("a struct variant")
    }
}
