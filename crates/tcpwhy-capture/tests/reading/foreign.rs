use crate::build::open;
use tcpwhy_capture::Error;

#[test]
fn what_is_no_capture_is_named_with_what_to_do() {
    let cases: &[(&[u8], &str)] = &[
        (b"snoop\0\0\0\0\0\0\x02\0\0\0\x04", "editcap -F pcapng"),
        (b"GMBU\0\x02\x01\0", "Network Monitor"),
        (b"\xfd7zXZ\0\0\x04", "xz -d"),
        (b"BZh91AY&SY", "bzip2 -d"),
        (b"0000  45 00 00 3c 1c 46 40 00\n", "text2pcap"),
        (b"{\"_index\": \"packets\"}", "JSON"),
        (b"\x01\x02\x03\x04\x05\x06\x07\x08", "01 02 03 04 05 06 07 08"),
        (b"\x01", "starts with 01"),
    ];
    for (file, part) in cases {
        let error = open(file.to_vec()).unwrap_err();
        assert!(matches!(error, Error::NotCapture { .. }), "{error}");
        let sentence = error.to_string();
        assert!(sentence.starts_with("test: ") && sentence.contains(part), "{sentence}");
    }
}
