use serde::ser::{Error as _, Impossible};
use serde::{Serialize, Serializer};

use super::Result;
use crate::{SerializeHeadersError, Str};

/// The key of a map entry.
pub(super) struct Name;

fn not_a_name<T>() -> Result<T> {
    Err(SerializeHeadersError::custom(
        "header names must be strings",
    ))
}

macro_rules! refuse_name {
    ($($method:ident($ty:ty),)*) => {$(
        fn $method(self, _: $ty) -> Result<Str> {
            not_a_name()
        }
    )*};
}

impl Serializer for Name {
    type Ok = Str;
    type Error = SerializeHeadersError;
    type SerializeSeq = Impossible<Str, SerializeHeadersError>;
    type SerializeTuple = Impossible<Str, SerializeHeadersError>;
    type SerializeTupleStruct = Impossible<Str, SerializeHeadersError>;
    type SerializeTupleVariant = Impossible<Str, SerializeHeadersError>;
    type SerializeMap = Impossible<Str, SerializeHeadersError>;
    type SerializeStruct = Impossible<Str, SerializeHeadersError>;
    type SerializeStructVariant = Impossible<Str, SerializeHeadersError>;

    refuse_name! {
        serialize_bool(bool),
        serialize_i8(i8),
        serialize_i16(i16),
        serialize_i32(i32),
        serialize_i64(i64),
        serialize_i128(i128),
        serialize_u8(u8),
        serialize_u16(u16),
        serialize_u32(u32),
        serialize_u64(u64),
        serialize_u128(u128),
        serialize_f32(f32),
        serialize_f64(f64),
        serialize_bytes(&[u8]),
        serialize_unit_struct(&'static str),
    }

    fn serialize_char(self, value: char) -> Result<Str> {
        Ok(Str::from(value.to_string()))
    }

    fn serialize_str(self, value: &str) -> Result<Str> {
        // By way of a `String` of the exact size, which becomes the name without a second block.
        Ok(Str::from(value.to_owned()))
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<Str> {
        Ok(Str::from_static(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Str> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Str> {
        not_a_name()
    }

    fn serialize_none(self) -> Result<Str> {
        not_a_name()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<Str> {
        not_a_name()
    }

    fn serialize_unit(self) -> Result<Str> {
        not_a_name()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq> {
        not_a_name()
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple> {
        not_a_name()
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct> {
        not_a_name()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant> {
        not_a_name()
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap> {
        not_a_name()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct> {
        not_a_name()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant> {
        not_a_name()
    }
}
