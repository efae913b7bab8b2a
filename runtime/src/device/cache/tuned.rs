//! The choices of tuning, kept between runs: a number per question and device. As with pipelines, a file that cannot be
//! read or written costs time and a line in the log, and no more.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{Digest, Store, create_private, read_at_most, replace};

/// The end of such files' names.
pub(super) const EXTENSION: &str = "choice";
/// Bytes of a file: the number and a checksum.
const BYTES: usize = 4 + 16;

impl Store {
    /// The choice of an earlier run on this device; nothing that was meant for another.
    pub(crate) fn load_choice(&self, key: u128) -> Option<u32> {
        let path = self.choice_path(self.directory.as_ref()?, key);
        let bytes = match read_at_most(&path, BYTES as u64) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            Err(error) => {
                tracing::debug!(path = %path.display(), %error, "a kept choice cannot be read; it is made again");
                return None;
            }
        };
        let choice = self.decode(&bytes, key);
        if choice.is_none() {
            tracing::debug!(path = %path.display(), "a kept choice is damaged; it is made again");
        }
        choice
    }

    /// Keeps a choice for later runs.
    pub(crate) fn keep_choice(&self, key: u128, choice: u32) {
        let Some(directory) = &self.directory else { return };
        let bytes = [&choice.to_le_bytes()[..], &self.choice_checksum(key, choice)].concat();
        let path = self.choice_path(directory, key);
        if let Err(error) = create_private(directory).and_then(|()| replace(&path, &bytes)) {
            tracing::warn!(path = %path.display(), %error, "what tuning found out is not kept");
        }
    }

    fn decode(&self, bytes: &[u8], key: u128) -> Option<u32> {
        let (choice, checksum) = bytes.split_at_checked(4)?;
        let choice = u32::from_le_bytes(choice.try_into().ok()?);
        (checksum == self.choice_checksum(key, choice)).then_some(choice)
    }

    fn choice_checksum(&self, key: u128, choice: u32) -> [u8; 16] {
        let identity = self.identity.digest().to_le_bytes();
        Digest::new()
            .bytes(b"choice")
            .bytes(&identity)
            .bytes(&key.to_le_bytes())
            .words(&[choice])
            .finish()
            .to_le_bytes()
    }

    fn choice_path(&self, directory: &Path, key: u128) -> PathBuf {
        directory.join(format!("{:016x}-{key:032x}.{EXTENSION}", self.identity.digest()))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::{Identity, PipelineCache};
    use super::*;

    #[test]
    fn a_choice_is_found_by_its_device_and_question_only() {
        let folder = std::env::temp_dir().join(format!("gridwise-choice-{}", std::process::id()));
        let of = |vendor| Store::new(&PipelineCache::At(folder.clone()), Identity { vendor, ..Identity::default() });
        let store = of(1);
        assert_eq!(store.load_choice(7), None);
        store.keep_choice(7, 3);
        assert_eq!(store.load_choice(7), Some(3));
        store.keep_choice(7, 2);
        assert_eq!((store.load_choice(7), store.load_choice(8), of(2).load_choice(7)), (Some(2), None, None));
        let path = store.choice_path(&folder, 7);
        let whole = fs::read(&path).expect("written");
        for damaged in [&whole[..19], &[&whole[..], &[0]].concat(), &[&[9], &whole[1..]].concat(), b""] {
            fs::write(&path, damaged).expect("written");
            assert_eq!(store.load_choice(7), None);
        }
        fs::remove_dir_all(folder).expect("removed");
    }
}
