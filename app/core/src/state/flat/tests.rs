use serde::{Deserialize, Serialize};

use super::*;
use crate::state::{Entry, Reader, Writer};

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    #[default]
    First,
    #[serde(rename = "2nd")]
    Second,
    LastOfAll,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default)]
struct Inner {
    #[serde(rename = "inner-n")]
    number: u8,
}

impl Default for Inner {
    fn default() -> Self {
        Inner { number: 7 }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
struct Fields {
    number: usize,
    flag: bool,
    share: f32,
    kind: Kind,
    text: String,
    typed: Option<String>,
    list: Vec<i32>,
    pair: Option<[usize; 2]>,
    #[serde(rename = "*inner")]
    inner: Inner,
    #[serde(with = "or_last")]
    place: usize,
    #[serde(rename = "not-drawn", with = "negated")]
    drawn: bool,
}

fn standard() -> Fields {
    Fields::default()
}

fn written(fields: &Fields) -> String {
    let mut fragment = Writer::new();
    write(fields, &standard(), &mut fragment);
    fragment.finish()
}

fn faults(reader: &Reader) -> Vec<String> {
    let faults = reader.faults().into_iter();
    faults.map(|fault| fault.quoted()).collect()
}

#[test]
fn each_field_is_an_entry_and_defaults_are_left_out() {
    assert_eq!(written(&standard()), "");
    let fields = Fields {
        number: 3,
        flag: true,
        share: 0.25,
        kind: Kind::LastOfAll,
        text: "a b".to_owned(),
        typed: Some(String::new()),
        list: vec![1, -2],
        pair: Some([0, 9]),
        inner: Inner { number: 8 },
        place: usize::MAX,
        drawn: true,
    };
    let address = "number=3&flag=1&share=0.25&kind=last-of-all&text=a+b&typed=&list=1.-2&pair=0.9&inner-n=8\
                   &place=last&not-drawn=0";
    assert_eq!(written(&fields), address);
    let reader = Reader::new(address);
    assert_eq!(read::<Fields>(&reader, &[]), fields);
    assert!(faults(&reader).is_empty());
}

#[test]
fn a_refused_entry_is_noted_and_the_rest_is_read() {
    let reader =
        Reader::new("number=-1&flag=2&kind=third&list=1.x&pair=1.2.3&inner-n=256&text=ok&share=1");
    let read: Fields = read(&reader, &[]);
    let expected = Fields {
        text: "ok".to_owned(),
        share: 1.0,
        ..standard()
    };
    assert_eq!(read, expected);
    let refused = [
        "number=-1",
        "flag=2",
        "kind=third",
        "list=1.x",
        "pair=1.2.3",
        "inner-n=256",
    ];
    assert_eq!(faults(&reader), refused);
}

#[test]
fn numbers_out_of_bounds_are_refused() {
    let described = [
        Entry::named("number").within(1.0, 8.0),
        Entry::named("share").within(0.0, 0.5),
        Entry::named("list").each_within(-1.0, 1.0),
    ];
    let read_all = |address: &str| -> (Fields, usize) {
        let reader = Reader::new(address);
        let fields = read(&reader, &described);
        (fields, reader.faults().len())
    };
    let (inside, refused) = read_all("number=8&share=0.5&list=1.-1.0");
    assert_eq!((inside.number, inside.share, refused), (8, 0.5, 0));
    assert_eq!(inside.list, [1, -1, 0]);
    let (outside, refused) = read_all("number=0&share=NaN&list=0.2");
    assert_eq!((outside, refused), (standard(), 3));
}

#[test]
fn values_are_the_names_of_the_variants() {
    let expected = [
        (Kind::First, "first"),
        (Kind::Second, "2nd"),
        (Kind::LastOfAll, "last-of-all"),
    ];
    assert_eq!(values::<Kind>(), expected);
}
