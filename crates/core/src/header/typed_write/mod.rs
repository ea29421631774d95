mod field;
mod name;

use std::fmt::Display;

use serde::ser::{Error as _, Impossible, SerializeMap, SerializeStruct, SerializeStructVariant};
use serde::{Serialize, Serializer};

use self::field::FieldValue;
use self::name::Name;
use super::{HeaderMap, SerializeHeadersError};
use crate::Str;

type Result<T = (), E = SerializeHeadersError> = std::result::Result<T, E>;

/// The number of fields a contract says it has is a hint, and may be anything.
const MAX_EXPECTED: usize = 64;

/// Writes a header contract into a map of its own, so that a failure leaves no trace.
pub(super) fn to_headers<T: Serialize + ?Sized>(contract: &T) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    contract.serialize(Contract(&mut headers))?;
    Ok(headers)
}

fn expect(headers: &mut HeaderMap, fields: usize) {
    *headers = HeaderMap::with_capacity(fields.min(MAX_EXPECTED));
}

fn write<T: Serialize + ?Sized>(headers: &mut HeaderMap, name: Str, value: &T) -> Result {
    if let Some(value) = value.serialize(FieldValue { field: &name })? {
        headers.write(name, value);
    }
    Ok(())
}

/// The contract as a whole: what it may be is a struct, a map, or a thin wrapper around one.
struct Contract<'h>(&'h mut HeaderMap);

macro_rules! refuse_top_level {
    ($($method:ident($($ty:ty),*) $kind:literal,)*) => {$(
        fn $method(self $(, _: $ty)*) -> Result {
            Err(SerializeHeadersError::TopLevel { kind: $kind })
        }
    )*};
}

impl<'h> Serializer for Contract<'h> {
    type Ok = ();
    type Error = SerializeHeadersError;
    type SerializeSeq = Impossible<(), SerializeHeadersError>;
    type SerializeTuple = Impossible<(), SerializeHeadersError>;
    type SerializeTupleStruct = Impossible<(), SerializeHeadersError>;
    type SerializeTupleVariant = Impossible<(), SerializeHeadersError>;
    type SerializeMap = Entries<'h>;
    type SerializeStruct = Fields<'h>;
    type SerializeStructVariant = Fields<'h>;

    refuse_top_level! {
        serialize_bool(bool) "a boolean",
        serialize_i8(i8) "an integer",
        serialize_i16(i16) "an integer",
        serialize_i32(i32) "an integer",
        serialize_i64(i64) "an integer",
        serialize_i128(i128) "an integer",
        serialize_u8(u8) "an integer",
        serialize_u16(u16) "an integer",
        serialize_u32(u32) "an integer",
        serialize_u64(u64) "an integer",
        serialize_u128(u128) "an integer",
        serialize_f32(f32) "a float",
        serialize_f64(f64) "a float",
        serialize_char(char) "a character",
        serialize_str(&str) "a string",
        serialize_bytes(&[u8]) "bytes",
        serialize_unit() "a unit",
        serialize_unit_struct(&'static str) "a unit struct",
        serialize_unit_variant(&'static str, u32, &'static str) "a unit variant",
    }

    fn collect_str<T: Display + ?Sized>(self, _: &T) -> Result {
        Err(SerializeHeadersError::TopLevel { kind: "a string" })
    }

    fn serialize_none(self) -> Result {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Result {
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq> {
        Err(SerializeHeadersError::TopLevel { kind: "a sequence" })
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple> {
        Err(SerializeHeadersError::TopLevel { kind: "a tuple" })
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct> {
        Err(SerializeHeadersError::TopLevel {
            kind: "a tuple struct",
        })
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant> {
        Err(SerializeHeadersError::TopLevel {
            kind: "a tuple variant",
        })
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Entries<'h>> {
        // Without a length it is what `#[serde(flatten)]` makes of a struct, which could be written
        // here but not read back field by field.
        let kind = "a map of unknown size (or a struct with flattened fields)";
        let len = len.ok_or(SerializeHeadersError::TopLevel { kind })?;
        expect(self.0, len);
        Ok(Entries {
            headers: self.0,
            name: None,
        })
    }

    fn serialize_struct(self, _: &'static str, len: usize) -> Result<Fields<'h>> {
        expect(self.0, len);
        Ok(Fields(self.0))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        len: usize,
    ) -> Result<Fields<'h>> {
        expect(self.0, len);
        Ok(Fields(self.0))
    }
}

struct Fields<'h>(&'h mut HeaderMap);

impl SerializeStruct for Fields<'_> {
    type Ok = ();
    type Error = SerializeHeadersError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result {
        write(self.0, Str::from_static(name), value)
    }

    fn end(self) -> Result {
        Ok(())
    }
}

impl SerializeStructVariant for Fields<'_> {
    type Ok = ();
    type Error = SerializeHeadersError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result {
        SerializeStruct::serialize_field(self, name, value)
    }

    fn end(self) -> Result {
        Ok(())
    }
}

struct Entries<'h> {
    headers: &'h mut HeaderMap,
    name: Option<Str>,
}

impl SerializeMap for Entries<'_> {
    type Ok = ();
    type Error = SerializeHeadersError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result {
        self.name = Some(key.serialize(Name)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result {
        match self.name.take() {
            Some(name) => write(self.headers, name, value),
            None => Err(SerializeHeadersError::custom(
                "a header value came before its name",
            )),
        }
    }

    fn end(self) -> Result {
        Ok(())
    }
}
