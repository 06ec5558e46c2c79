//! The options of `attn serve`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ModelOption;

/// The form of the log's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogForm {
    /// Lines for people to read
    Text,
    /// A JSON object for each line
    Json,
    /// No lines but those of faults
    None,
}

/// The certificate of an encrypted server.
#[derive(Args)]
pub struct TlsOptions {
    /// Certificate of the server, a PEM file with its chain; connections are then encrypted (TLS)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,
    /// Key of the certificate, a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
}

/// The schemes of a server's addresses.
pub struct Scheme {
    pub http: &'static str,
    pub ws: &'static str,
    /// The port that browsers leave out.
    pub port: u16,
}

impl TlsOptions {
    /// Returns the schemes of the server's addresses.
    pub fn scheme(&self) -> Scheme {
        let (http, ws, port) = match self.tls_certificate {
            Some(_) => ("https", "wss", 443),
            None => ("http", "ws", 80),
        };
        Scheme { http, ws, port }
    }
}

#[derive(Args)]
pub struct ServeOptions {
    #[command(flatten)]
    pub model: ModelOption,
    /// Port of the server; 0 takes a free one
    #[arg(long, default_value_t = 8090)]
    pub port: u16,
    /// Address to listen on; by another than that of this machine alone, others on the network reach the server, unencrypted without --tls-certificate
    #[arg(long, default_value = "127.0.0.1")]
    pub host: IpAddr,
    /// Name under which browsers reach the server, besides its address; can be given several times
    #[arg(long = "name")]
    pub names: Vec<String>,
    #[command(flatten)]
    pub tls: TlsOptions,
    /// Origin of a page elsewhere that may ask this server, such as https://example.org; can be given several times
    #[arg(long = "origin")]
    pub origins: Vec<String>,
    /// File with the token, made if it is not there; without it, every start has a new token. The teacher's token is kept beside it, in FILE.teacher
    #[arg(long)]
    pub token_file: Option<PathBuf>,
    /// Form of the log on standard error
    #[arg(long, value_enum, default_value = "text")]
    pub log: LogForm,
    /// Directory of the built page; without it, the engine alone is served
    #[arg(long)]
    pub dist: Option<PathBuf>,
    /// Serve a class too: members follow the view of the teacher, and their predictions reach the teacher
    #[arg(long)]
    pub class: bool,
    /// Visitors at a time
    #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u16).range(1..))]
    pub visitors: u16,
    /// Mebibytes that wait for a visitor who does not receive them, before the visitor is dropped
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    pub queue_mib: u32,
    /// Mebibytes of a visitor's newest result that are kept for questions about it; a larger one is computed again
    #[arg(long, default_value_t = 256)]
    pub kept_mib: u32,
}

impl ServeOptions {
    /// Returns the file with the token of a class's teacher.
    pub fn teacher_token_file(&self) -> Option<PathBuf> {
        let mut file = self.token_file.clone()?.into_os_string();
        file.push(".teacher");
        Some(file.into())
    }

    /// Returns the bytes that may wait for a visitor.
    pub fn most_queued_bytes(&self) -> usize {
        mebibytes(self.queue_mib)
    }

    /// Returns the bytes that are kept of a result.
    pub fn most_kept_bytes(&self) -> usize {
        mebibytes(self.kept_mib)
    }
}

fn mebibytes(count: u32) -> usize {
    (count as usize).saturating_mul(1 << 20)
}
