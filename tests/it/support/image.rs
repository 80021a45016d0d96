//! The image with the program under test in it, built and unpacked once for all tests of it; its processes run as a container engine would run them:
//! the image's user and environment, its root read-only, one folder to write to.
//!
//! No container engine is here, so what an engine does beside that (networks, resource limits, seccomp) is not part of any test. It must never leave a
//! mount behind: each process has a mount namespace of its own.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use super::program::{arb, run};
use super::root;

/// Root of the file system, folder for writing, user, then the command; what follows keeps the process's id.
const ENTER: &str = r#"set -e
mount --bind "$1" "$1"
mount --bind "$2" "$1/var/lib/arb"
mount --rbind /dev "$1/dev"
mount -t proc proc "$1/proc"
mount -o remount,bind,ro "$1"
root=$1 user=$3
shift 3
exec chroot --userspec="$user" --groups= "$root" "$@""#;

/// The image, unpacked.
pub(crate) struct Image {
    root: PathBuf,
    process: Value,
    /// What packages.txt would be with the versions that Debian has now.
    pub(crate) packages: String,
}

impl Image {
    /// Built where this process has not built it yet.
    pub(crate) fn shared() -> &'static Self {
        static IMAGE: OnceLock<Image> = OnceLock::new();
        IMAGE.get_or_init(Self::unpack)
    }

    fn unpack() -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("image");
        let _ = fs::remove_dir_all(&folder);
        let context = folder.join("context");
        let packages = lay(&context);
        let (oci, bundle) = (format!("{}/oci:test", context.display()), folder.join("bundle"));
        build(&context, "test");
        done(Command::new("umoci").args(["unpack", "--image", &oci]).arg(&bundle));
        let config: Value = serde_json::from_slice(&fs::read(bundle.join("config.json")).unwrap()).unwrap();
        Self { root: bundle.join("rootfs"), process: config["process"].clone(), packages }
    }

    /// A file in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// User and group, as `user:group`.
    pub(crate) fn user(&self) -> String {
        format!("{}:{}", self.process["user"]["uid"], self.process["user"]["gid"])
    }

    /// The environment that it gives its processes.
    pub(crate) fn environment(&self) -> BTreeMap<String, String> {
        let all = self.process["env"].as_array().unwrap().iter().map(|one| one.as_str().unwrap());
        all.map(|one| one.split_once('=').unwrap()).map(|(name, value)| (name.into(), value.into())).collect()
    }

    /// A command of it, which writes to a folder alone. It has the image's environment.
    pub(crate) fn command<S: AsRef<str>>(&self, folder: &Path, program: &str, arguments: &[S]) -> Command {
        let (user, group) = (self.process["user"]["uid"].as_u64(), self.process["user"]["gid"].as_u64());
        let id = |id: Option<u64>| Some(u32::try_from(id.unwrap()).unwrap());
        chown(folder, id(user), id(group)).unwrap();
        let mut command = Command::new("unshare");
        command.args(["--mount", "--propagation", "private", "sh", "-c", ENTER, "sh"]);
        command.arg(&self.root).arg(folder).arg(self.user()).arg(program);
        command.args(arguments.iter().map(AsRef::as_ref)).env_clear();
        command
            .envs(self.environment())
            // Where this machine's programs are; in the root there is none.
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        command
    }

    /// `arb` of it.
    pub(crate) fn arb<S: AsRef<str>>(&self, folder: &Path, arguments: &[S]) -> Command {
        self.command(folder, "/usr/local/bin/arb", arguments)
    }
}

/// Lays the folder that it is built from; what packages.txt would be now.
pub(crate) fn lay(context: &Path) -> String {
    let mut script = Command::new(root().join("deploy/image/rootfs.sh"));
    done(script.args(["--newest"]).arg(arb().get_program()).arg(context))
}

/// Builds it from that folder.
pub(crate) fn build(context: &Path, version: &str) {
    done(Command::new(root().join("deploy/image/build.sh")).arg(context).arg(version));
}

/// Runs a command to its end, which must be a good one; its output.
pub(crate) fn done(command: &mut Command) -> String {
    let output = run(command);
    assert!(output.success, "{command:?}: {}{}", output.out, output.err);
    output.out
}
