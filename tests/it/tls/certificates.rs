//! A CA of the test's own, and what it signs.
//!
//! Every file is created for a test; none is kept.

use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};

/// A CA with a folder for its certificate and for those that it signs.
pub(super) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: PathBuf,
    /// Its certificate.
    pub(super) file: PathBuf,
}

/// Files of a certificate that was signed.
pub(super) struct Signed {
    pub(super) certificate: PathBuf,
    pub(super) key: PathBuf,
    /// Key and certificate in one file, as Kafka reads a key store.
    pub(super) store: PathBuf,
}

impl Authority {
    /// A new one.
    pub(super) fn new(folder: &Path, name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        params.distinguished_name.push(DnType::CommonName, name);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let file = folder.join(format!("{name}.pem"));
        std::fs::write(&file, issuer.pem()).unwrap();
        Self { issuer, folder: folder.to_owned(), file }
    }

    /// A certificate for `localhost` and `127.0.0.1`, or for a client of this name.
    pub(super) fn sign(&self, name: &str) -> Signed {
        self.sign_until(name, 2090)
    }

    /// An expired certificate.
    pub(super) fn sign_expired(&self, name: &str) -> Signed {
        self.sign_until(name, 2021)
    }

    fn sign_until(&self, name: &str, year: i32) -> Signed {
        let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
        let mut params = CertificateParams::new(names).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        (params.not_before, params.not_after) = (date_time_ymd(2020, 1, 1), date_time_ymd(year, 1, 1));
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        params.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap().pem();
        let write = |suffix: &str, text: &str| {
            let file = self.folder.join(format!("{name}.{suffix}"));
            std::fs::write(&file, text).unwrap();
            file
        };
        let key = key.serialize_pem();
        Signed {
            certificate: write("crt.pem", &certificate),
            key: write("key.pem", &key),
            store: write("store.pem", &format!("{key}{certificate}")),
        }
    }
}
