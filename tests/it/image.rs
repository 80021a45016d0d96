//! The image: what is in it, and that every role runs in its root, by its user, with nothing to write to but one folder.
//!
//! They need root, Debian, buildah and umoci, so `.ci/run` runs them beside the others: `cargo test -p arb-tests --test it -- --ignored image::`.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::documents::read;
use crate::support::http::request;
use crate::support::image::{Image, build, done, lay};
use crate::support::ports::port;
use crate::support::program::{Role, arb, run};
use crate::support::scratch::Scratch;
use crate::support::stack::Broker;
use crate::support::wait_for;

/// MiB of Debian's libraries and files; the shipped program has 32 of the 60 that the image may have.
const MOST_BESIDE_ARB: u64 = 20;

/// The commands of the program, as `arb help` lists them.
fn commands() -> Vec<String> {
    let help = run(arb().arg("--help")).out;
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    list.lines()
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .filter(|name| name != "help")
        .collect()
}

#[test]
#[ignore = "needs root, buildah and umoci: .ci/run runs it"]
fn every_command_starts_in_it() {
    let (image, folder) = (Image::shared(), Scratch::new());
    let commands = commands();
    assert!(commands.len() > 20, "{commands:?}");
    for command in commands {
        let version = done(&mut image.arb(folder.path(), &[&*command, "--version"]));
        assert_eq!(version, format!("arb-{command} {}\n", env!("CARGO_PKG_VERSION")));
    }
}

#[test]
#[ignore = "needs root, buildah and umoci: .ci/run runs it"]
fn it_is_small_and_has_no_shell() {
    let image = Image::shared();
    assert_eq!(image.user(), "65532:65532");
    let of = |path: &Path| done(Command::new("du").args(["--bytes", "--summarize"]).arg(path));
    let bytes = |path: &Path| of(path).split_whitespace().next().unwrap().parse::<u64>().unwrap();
    let beside = bytes(&image.path("")) - bytes(&image.path("usr/local/bin/arb"));
    assert!(beside < MOST_BESIDE_ARB << 20, "{beside}");
    for absent in ["bin/sh", "usr/bin/sh", "usr/bin/dpkg", "usr/bin/apt-get"] {
        assert!(!image.path(absent).exists(), "{absent}");
    }
    // What scanners look for, licences, and what TLS needs.
    for line in image.packages.lines() {
        let name = line.split_once(' ').unwrap().0;
        let status = fs::read_to_string(image.path("var/lib/dpkg/status.d").join(name)).unwrap();
        assert!(status.contains(&format!("Version: {}", line.split_once(' ').unwrap().1)), "{status}");
    }
    assert!(image.path("usr/share/doc/libssl3/copyright").exists());
    let authorities = fs::read_to_string(image.path("etc/ssl/certs/ca-certificates.crt")).unwrap();
    assert!(authorities.matches("BEGIN CERTIFICATE").count() > 100);
}

/// A notice alone: Debian replaces a version when it likes.
#[test]
#[ignore = "needs root, buildah and umoci: .ci/run runs it"]
fn its_versions_are_those_of_debian_now() {
    let stored = read("deploy/image/packages.txt");
    for line in Image::shared().packages.lines().filter(|line| !stored.lines().any(|stored| stored == *line))
    {
        println!("NOTICE: deploy/image/packages.txt is old, Debian has {line}");
    }
    let names = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&Image::shared().packages), names(&stored));
}

#[test]
#[ignore = "needs root, buildah and umoci: .ci/run runs it"]
fn the_same_program_gives_the_same_image() {
    let (one, other) = (Scratch::new(), Scratch::new());
    let image = |folder: &Scratch| {
        lay(folder.path());
        build(folder.path(), "test");
        fs::read(folder.path().join("image.tar")).unwrap()
    };
    assert!(image(&one) == image(&other));
}

/// The health check of the image, at another port.
fn health(port: u16) -> Vec<String> {
    let dockerfile = read("deploy/image/Dockerfile");
    let line = dockerfile.lines().find(|line| line.starts_with("HEALTHCHECK")).unwrap();
    let words: Vec<String> = serde_json::from_str(line.split_once(" CMD ").unwrap().1).unwrap();
    assert_eq!(words[0], "/usr/local/bin/arb");
    words[1..].iter().map(|word| word.replace(":9100/", &format!(":{port}/"))).collect()
}

#[test]
#[ignore = "needs root, buildah and umoci: .ci/run runs it"]
fn the_api_serves_from_a_read_only_root_by_its_user() {
    let (image, broker, folder) = (Image::shared(), Broker::start(), Scratch::new());
    let (listen, admin) = (format!("127.0.0.1:{}", port()), port());
    let mut serve = image.arb(folder.path(), &["serve", "--child", broker.kafka.at(), broker.kafka.named()]);
    serve.env("ARB_LISTEN", &listen).env("ARB_ADMIN_LISTEN", format!("127.0.0.1:{admin}"));
    let healthy = || run(&mut image.arb(folder.path(), &health(admin)));
    let before = healthy();
    assert!(!before.success && before.err.contains(&format!("127.0.0.1:{admin}/livez")), "{}", before.err);
    let mut role = Role::spawn(&mut serve, &broker.path("serve.log"));
    wait_for("the image's health check is content", || {
        role.assert_runs();
        healthy().success.then_some(())
    });
    wait_for("the API is ready", || {
        request("GET", &format!("http://{listen}/readyz"), &[]).filter(|answer| answer.status == 200)
    });
    let of_process = |name: &str| fs::read_to_string(format!("/proc/{}/{name}", role.id())).unwrap();
    let status = of_process("status");
    let line = |name: &str| status.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert_eq!(line("Uid:"), "Uid:\t65532\t65532\t65532\t65532");
    assert_eq!(line("CapEff:"), "CapEff:\t0000000000000000");
    let mounts = of_process("mounts");
    let options = |at: &str| {
        let mut mounts = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        mounts.rfind(|words| words[1] == at).unwrap()[3].to_owned()
    };
    assert!(options("/").split(',').any(|option| option == "ro"), "{mounts}");
    assert!(options("/var/lib/arb").split(',').any(|option| option == "rw"), "{mounts}");
    // What it created at its first start, its own alone.
    for name in ["pepper", "webhook-key"] {
        assert!(folder.path().join(name).exists(), "{name}");
    }
    let openapi = request("GET", &format!("http://{listen}/openapi.json"), &[]).unwrap();
    assert!(matches!(openapi.json(), Value::Object(_)));
}
