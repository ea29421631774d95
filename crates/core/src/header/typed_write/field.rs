use std::fmt::Display;

use serde::ser::{Error as _, Impossible};
use serde::{Serialize, Serializer};

use super::Result;
use crate::header::value::Value;
use crate::{Bytes, SerializeHeadersError};

/// Serializes the value of one field: `None` for an absent one.
pub(super) struct FieldValue<'f> {
    pub(super) field: &'f str,
}

impl FieldValue<'_> {
    fn refuse<T>(self, kind: &'static str) -> Result<T> {
        Err(SerializeHeadersError::UnsupportedValue {
            field: self.field.to_owned(),
            kind,
        })
    }
}

fn display(value: impl Display) -> Result<Option<Value>> {
    Value::display(value)
        .map(Some)
        .map_err(SerializeHeadersError::custom)
}

fn fixed(text: &'static str) -> Value {
    Value::Shared(Bytes::from_static(text.as_bytes()))
}

macro_rules! signed {
    ($($method:ident($ty:ty),)*) => {$(
        fn $method(self, value: $ty) -> Result<Option<Value>> {
            Ok(Some(Value::decimal(value < 0, value.unsigned_abs().into())))
        }
    )*};
}

macro_rules! unsigned {
    ($($method:ident($ty:ty),)*) => {$(
        fn $method(self, value: $ty) -> Result<Option<Value>> {
            Ok(Some(Value::decimal(false, value.into())))
        }
    )*};
}

macro_rules! displayed {
    ($($method:ident($ty:ty),)*) => {$(
        fn $method(self, value: $ty) -> Result<Option<Value>> {
            display(value)
        }
    )*};
}

impl Serializer for FieldValue<'_> {
    type Ok = Option<Value>;
    type Error = SerializeHeadersError;
    type SerializeSeq = Impossible<Option<Value>, SerializeHeadersError>;
    type SerializeTuple = Impossible<Option<Value>, SerializeHeadersError>;
    type SerializeTupleStruct = Impossible<Option<Value>, SerializeHeadersError>;
    type SerializeTupleVariant = Impossible<Option<Value>, SerializeHeadersError>;
    type SerializeMap = Impossible<Option<Value>, SerializeHeadersError>;
    type SerializeStruct = Impossible<Option<Value>, SerializeHeadersError>;
    type SerializeStructVariant = Impossible<Option<Value>, SerializeHeadersError>;

    signed! {
        serialize_i8(i8),
        serialize_i16(i16),
        serialize_i32(i32),
        serialize_i64(i64),
    }

    unsigned! {
        serialize_u8(u8),
        serialize_u16(u16),
        serialize_u32(u32),
        serialize_u64(u64),
    }

    displayed! {
        serialize_i128(i128),
        serialize_u128(u128),
        serialize_f32(f32),
        serialize_f64(f64),
        serialize_char(char),
    }

    fn serialize_bool(self, value: bool) -> Result<Option<Value>> {
        Ok(Some(fixed(if value { "true" } else { "false" })))
    }

    fn serialize_str(self, value: &str) -> Result<Option<Value>> {
        Ok(Some(Value::copied(value.as_bytes())))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<Option<Value>> {
        display(value)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Option<Value>> {
        Ok(Some(Value::copied(value)))
    }

    fn serialize_none(self) -> Result<Option<Value>> {
        Ok(None)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Option<Value>> {
        value.serialize(self)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Option<Value>> {
        Ok(Some(fixed(variant)))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Option<Value>> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Option<Value>> {
        self.refuse("a data-carrying enum variant")
    }

    fn serialize_unit(self) -> Result<Option<Value>> {
        self.refuse("a unit")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Option<Value>> {
        self.refuse("a unit struct")
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq> {
        self.refuse("a sequence")
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple> {
        self.refuse("a tuple")
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct> {
        self.refuse("a tuple struct")
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant> {
        self.refuse("a tuple variant")
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap> {
        self.refuse("a map")
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct> {
        self.refuse("a nested struct")
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant> {
        self.refuse("a struct variant")
    }
}
