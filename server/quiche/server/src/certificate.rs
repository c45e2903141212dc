//! The server's certificate: given by the operator, or self-signed and accepted by browsers by its hash.
//!
//! `serverCertificateHashes` (W3C WebTransport, "custom certificate requirements") wants an ECDSA P-256 key and a
//! validity of at most 14 days; Chromium also wants proper extensions.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use base64::Engine;
use boring::asn1::{Asn1Time, Asn1TimeRef};
use boring::bn::{BigNum, MsbOption};
use boring::ec::{EcGroup, EcKey};
use boring::error::ErrorStack;
use boring::hash::MessageDigest;
use boring::nid::Nid;
use boring::pkey::{PKey, Private};
use boring::x509::extension::{BasicConstraints, ExtendedKeyUsage, KeyUsage, SubjectAlternativeName};
use boring::x509::{X509, X509NameBuilder};

use serde_json::Value;

use crate::configuration_error::ConfigurationError;
use crate::log;
use crate::sockets::plain;

const DAY: Duration = Duration::from_secs(86_400);

const LONGEST_HASHABLE_DAYS: i32 = 14;

/// One day less than the longest that browsers accept by hash.
const VALIDITY: Duration = DAY.saturating_mul(13);

/// Time by which a client's clock may be behind.
const CLOCK_SKEW: Duration = Duration::from_secs(3600);

/// A stored certificate is used again only if it is valid for longer, so that a server keeps its hash over a weekend.
const REUSE_LEFT: Duration = DAY.saturating_mul(3);

/// A running server replaces its certificate when it is valid for less.
const RENEWAL_LEFT: Duration = DAY;

/// A certificate chain, leaf first, and the leaf's private key.
#[derive(Clone)]
pub struct Certificate {
    pub chain: Vec<X509>,
    pub key: PKey<Private>,
}

impl Certificate {
    /// Base64 SHA-256 of the DER form if browsers accept the certificate by its hash, otherwise empty.
    pub fn hashes(&self) -> Vec<String> {
        let leaf = &self.chain[0];
        let curve = self.key.ec_key().ok().and_then(|key| key.group().curve_name());
        let short =
            leaf.not_before().diff(leaf.not_after()).is_ok_and(|it| (it.days, it.secs) <= (LONGEST_HASHABLE_DAYS, 0));
        if curve != Some(Nid::X9_62_PRIME256V1) || !short {
            return Vec::new();
        }
        let digest = leaf.digest(MessageDigest::sha256());
        digest.map(|digest| base64::engine::general_purpose::STANDARD.encode(digest)).into_iter().collect()
    }

    /// Whether it is the same, byte for byte.
    pub fn is_same(&self, other: &Self) -> bool {
        let der = |certificate: &Self| certificate.chain.iter().map(|it| it.to_der().ok()).collect::<Vec<_>>();
        der(self) == der(other)
    }

    /// End of its validity, in seconds since 1970.
    pub fn end(&self) -> i64 {
        let since_1970 = Asn1Time::from_unix(0).and_then(|start| start.diff(self.chain[0].not_after()));
        since_1970.map_or(0, |it| i64::from(it.days) * DAY.as_secs().cast_signed() + i64::from(it.secs))
    }

    /// Whether it is time to replace it, also where it was made by a clock that was ahead.
    pub fn renewal_due(&self, now: SystemTime) -> bool {
        !lasts_beyond(self.chain[0].not_after(), now + RENEWAL_LEFT) || self.fault(now).is_some()
    }

    /// Why it is not valid at that time; `None`: it is.
    fn fault(&self, now: SystemTime) -> Option<&'static str> {
        if lasts_beyond(self.chain[0].not_before(), now) {
            return Some("it is not valid yet");
        }
        (!lasts_beyond(self.chain[0].not_after(), now)).then_some("it has expired")
    }
}

/// Warns of a certificate that is not valid: once, until it is another fault or none.
#[derive(Debug, Default)]
pub struct FaultWarning(Option<&'static str>);

impl FaultWarning {
    pub fn look(&mut self, certificate: &Certificate, now: SystemTime) {
        let fault = certificate.fault(now);
        let before = std::mem::replace(&mut self.0, fault);
        if let Some(reason) = fault.filter(|_| fault != before) {
            let leaf = &certificate.chain[0];
            let dates = [("not_before", leaf.not_before()), ("not_after", leaf.not_after())];
            let dates = dates.map(|(name, date)| (name, Value::from(date.to_string())));
            log::warning("certificate not valid", &[&[("reason", Value::from(reason))], &dates[..]].concat());
        }
    }
}

/// The source of certificates.
#[derive(Clone, Debug)]
pub enum CertificateSource {
    Given {
        certificate: PathBuf,
        key: PathBuf,
    },
    /// Made for these host names and addresses, stored in the folder.
    SelfMade {
        hosts: BTreeSet<String>,
        cache: PathBuf,
    },
}

impl CertificateSource {
    /// The certificate to use at a time; `anew`: not the one that is stored.
    pub fn obtain(&self, now: SystemTime, anew: bool) -> Result<Certificate, ConfigurationError> {
        match self {
            Self::Given { certificate, key } => load(certificate, key),
            Self::SelfMade { hosts, cache } => cached(hosts, cache, now, anew)
                .map_err(|error| ConfigurationError(format!("cannot make a certificate: {error}"))),
        }
    }
}

/// The folder of the self-signed certificate (XDG Base Directory specification), which is also voxel-serve's: both
/// servers have the same hash.
pub fn default_cache() -> PathBuf {
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache");
    let cache = std::env::var_os("XDG_CACHE_HOME").filter(|it| !it.is_empty()).map_or_else(home, PathBuf::from);
    cache.join("voxel-serve")
}

fn load(certificate: &Path, key: &Path) -> Result<Certificate, ConfigurationError> {
    let refused = |reason: String| {
        let files = format!("certificate {} and key {}", certificate.display(), key.display());
        ConfigurationError(format!("cannot use {files}: {reason}"))
    };
    let read = |path| fs::read(path).map_err(|error| refused(plain(&error)));
    parse(&read(certificate)?, &read(key)?).map_err(|reason| refused(reason.to_owned()))
}

fn parse(certificate: &[u8], key: &[u8]) -> Result<Certificate, &'static str> {
    let chain = X509::stack_from_pem(certificate).map_err(|_| "the certificate is not a PEM certificate")?;
    let key = PKey::private_key_from_pem(key).map_err(|_| "the key is not a PEM private key")?;
    let leaf = chain.first().ok_or("the certificate is not a PEM certificate")?;
    if !leaf.public_key().is_ok_and(|public| public.public_eq(&key)) {
        return Err("the key does not belong to the certificate");
    }
    Ok(Certificate { chain, key })
}

/// The certificate stored for these hosts if it is valid long enough and not to be made `anew`, otherwise a new one,
/// which is stored. A cache that cannot be read or written only prevents reuse.
fn cached(hosts: &BTreeSet<String>, cache: &Path, now: SystemTime, anew: bool) -> Result<Certificate, ErrorStack> {
    let names = hosts.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    let digest = boring::hash::hash(MessageDigest::sha256(), names.as_bytes())?;
    let name: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let file = cache.join(format!("{name}.pem"));
    if !anew
        && let Some(kept) = fs::read(&file).ok().and_then(|pem| parse(&pem, &pem).ok())
        && lasts_beyond(kept.chain[0].not_after(), now + REUSE_LEFT)
        && !lasts_beyond(kept.chain[0].not_before(), now)
    {
        return Ok(kept);
    }
    let made = make(hosts, now)?;
    let pem = [made.key.private_key_to_pem_pkcs8()?, made.chain[0].to_pem()?].concat();
    let _ = written_beside(&file, &pem).and_then(|temporary| fs::rename(temporary, file));
    Ok(made)
}

/// Another name in the file's folder, under which its content is written first, so that servers that start at the same time
/// never read half a file. Nobody else may read it.
pub fn written_beside(file: &Path, content: &[u8]) -> std::io::Result<PathBuf> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let temporary = file.with_extension(format!("{}.tmp", std::process::id()));
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&temporary)?.write_all(content)?;
    Ok(temporary)
}

/// A self-signed certificate for these host names and addresses, valid for [`VALIDITY`].
pub fn make(hosts: &BTreeSet<String>, now: SystemTime) -> Result<Certificate, ErrorStack> {
    let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1)?;
    let key = PKey::from_ec_key(EcKey::generate(&group)?)?;
    let mut name = X509NameBuilder::new()?;
    name.append_entry_by_nid(Nid::COMMONNAME, "voxel-quiche")?;
    let name = name.build();
    let mut serial = BigNum::new()?;
    serial.rand(127, MsbOption::MAYBE_ZERO, false)?;
    let start = now - CLOCK_SKEW;
    let mut builder = X509::builder()?;
    builder.set_version(2)?; // X.509v3
    builder.set_serial_number(serial.to_asn1_integer()?.as_ref())?;
    builder.set_subject_name(&name)?;
    builder.set_issuer_name(&name)?;
    builder.set_pubkey(&key)?;
    builder.set_not_before(asn1_time(start)?.as_ref())?;
    builder.set_not_after(asn1_time(start + VALIDITY)?.as_ref())?;
    let mut names = SubjectAlternativeName::new();
    for host in hosts {
        match host.parse::<std::net::IpAddr>() {
            Ok(address) => names.ip(&address.to_string()),
            Err(_) => names.dns(host),
        };
    }
    let names = names.build(&builder.x509v3_context(None, None))?;
    builder.append_extension(BasicConstraints::new().critical().build()?.as_ref())?;
    builder.append_extension(KeyUsage::new().critical().digital_signature().build()?.as_ref())?;
    builder.append_extension(ExtendedKeyUsage::new().server_auth().build()?.as_ref())?;
    builder.append_extension(names.as_ref())?;
    builder.sign(&key, MessageDigest::sha256())?;
    Ok(Certificate { chain: vec![builder.build()], key })
}

fn asn1_time(time: SystemTime) -> Result<Asn1Time, ErrorStack> {
    Asn1Time::from_unix(time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs().cast_signed())
}

fn lasts_beyond(not_after: &Asn1TimeRef, time: SystemTime) -> bool {
    asn1_time(time).and_then(|time| time.diff(not_after)).is_ok_and(|left| (left.days, left.secs) > (0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts() -> BTreeSet<String> {
        ["localhost", "127.0.0.1", "::1"].map(str::to_owned).into()
    }

    #[test]
    fn a_made_certificate_is_one_that_browsers_accept_by_its_hash() {
        let now = SystemTime::now();
        let made = make(&hosts(), now).unwrap();
        assert_eq!(made.hashes().len(), 1);
        let names = made.chain[0].subject_alt_names().unwrap();
        let dns: Vec<_> = names.iter().filter_map(|name| name.dnsname()).collect();
        let addresses: Vec<_> = names.iter().filter_map(|name| name.ipaddress()).collect();
        assert_eq!((dns, addresses.len()), (vec!["localhost"], 2));
        let end = SystemTime::UNIX_EPOCH + Duration::from_secs(made.end().cast_unsigned());
        let valid = end.duration_since(now).unwrap() + CLOCK_SKEW;
        assert!(valid <= VALIDITY && valid + Duration::from_secs(1) > VALIDITY, "{valid:?}");
        assert!(!made.renewal_due(now + DAY * 11));
        assert!(made.renewal_due(now + DAY * 12));
        assert!(made.renewal_due(now - DAY), "made by a clock that was ahead");
    }

    #[test]
    fn a_kept_certificate_is_used_again_until_three_days_are_left() {
        let cache = std::env::temp_dir().join(format!("voxel-quiche-cache-{}", std::process::id()));
        let now = SystemTime::now();
        let first = cached(&hosts(), &cache, now, false).unwrap().hashes();
        assert_eq!(cached(&hosts(), &cache, now + DAY * 9, false).unwrap().hashes(), first);
        let later = cached(&hosts(), &cache, now + DAY * 11, false).unwrap().hashes();
        assert_ne!(later, first);
        assert_ne!(cached(&hosts(), &cache, now, false).unwrap().hashes(), later, "it is not valid yet");
        let anew = cached(&hosts(), &cache, now, true).unwrap().hashes();
        assert_eq!(cached(&hosts(), &cache, now, false).unwrap().hashes(), anew);
        fs::remove_dir_all(cache).unwrap();
    }
}
