use std::fmt::Debug;
use std::hash::Hash;
use std::num::{NonZeroU32, NonZeroUsize};

use ruststream_core::{
    AddressedCopies, BrokerMoves, CallerName, CopyPath, DestinationForm, FixedName,
    HeadersContract, Lend, MessageHeaders, MessageInfo, NameTemplate, NamedCopies, NoHeaders,
    OutgoingDestination, Take, WithHeaders, nonzero,
};

struct Parcel;

impl MessageInfo for Parcel {
    const NAME: &'static str = "Parcel";
}

impl MessageHeaders for Parcel {
    type Contract = WithHeaders<u8>;
}

impl OutgoingDestination for Parcel {
    type Form = NameTemplate;
    const DESTINATION: &'static str = "parcels.{depot}";
    const PARAMETERS: &'static [&'static str] = &["depot"];
}

// Section 11
#[test]
fn what_a_declaration_leaves_out_is_empty() {
    struct Bare;

    impl OutgoingDestination for Bare {
        type Form = CallerName;
    }

    assert_eq!((Parcel::NAME, Parcel::DESCRIPTION), ("Parcel", None));
    assert_eq!((Bare::DESTINATION, Bare::PARAMETERS), ("", &[][..]));
    assert_eq!(
        (Parcel::DESTINATION, Parcel::PARAMETERS),
        ("parcels.{depot}", &["depot"][..])
    );
}

// CORE-201
#[test]
fn vectors_and_strings_come_declared() {
    fn plain<T>()
    where
        T: MessageHeaders<Contract = NoHeaders> + OutgoingDestination<Form = CallerName>,
    {
        assert!(T::DESTINATION.is_empty());
    }

    plain::<Vec<Parcel>>();
    plain::<String>();
}

// CORE-202, section 6
#[test]
fn the_markers_are_plain_values() {
    fn marker<T: Debug + Copy + Default + Eq + Hash + Send + Sync + 'static>() {}
    fn contract<T: HeadersContract>() {}
    fn form<T: DestinationForm>() {}
    fn path<T: CopyPath>() {}

    marker::<(
        NoHeaders,
        WithHeaders<u8>,
        FixedName,
        NameTemplate,
        CallerName,
    )>();
    marker::<(AddressedCopies, NamedCopies, BrokerMoves, Lend, Take)>();
    contract::<NoHeaders>();
    contract::<WithHeaders<Parcel>>();
    form::<FixedName>();
    form::<NameTemplate>();
    form::<CallerName>();
    path::<AddressedCopies>();
    path::<NamedCopies>();
    path::<BrokerMoves>();
}

// CORE-255
#[test]
fn the_call_site_gives_the_width() {
    const ATTEMPTS: NonZeroU32 = nonzero!(2 + 3);
    fn size(size: NonZeroUsize) -> usize {
        size.get()
    }

    assert_eq!(
        (ATTEMPTS.get(), size(nonzero!(64)), nonzero!(3u8).get()),
        (5, 64, 3)
    );
    assert_eq!(nonzero!(-1i64).get(), -1);
}
