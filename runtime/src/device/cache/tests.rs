//! Kept pipelines that are damaged, foreign, half written or written by many at once.

use std::sync::Barrier;
use std::thread;

use super::*;

fn identity() -> Identity {
    Identity { vendor: 0x10005, device: 7, driver_version: 3, uuids: [[1; 16], [2; 16], [3; 16]] }
}

/// Data as a driver gives it: Vulkan's header and something behind it.
fn data(identity: &Identity, seed: u8) -> Vec<u8> {
    let mut data = Vec::new();
    for number in [32, 1, identity.vendor, identity.device] {
        data.extend_from_slice(&u32::to_le_bytes(number));
    }
    data.extend_from_slice(&identity.uuids[0]);
    data.extend((0..1000u32).map(|i| (i as u8).wrapping_mul(seed)));
    data
}

/// A folder of its own for a test, removed with its contents.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("gridwise-cache-{name}-{}", std::process::id())))
    }

    fn store(&self) -> Store {
        Store::new(&PipelineCache::At(self.0.clone()), identity())
    }

    fn files(&self) -> Vec<PathBuf> {
        fs::read_dir(&self.0).into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn what_was_kept_comes_back() {
    let folder = Folder::new("back");
    let store = folder.store();
    assert_eq!(store.load(5), None);
    store.keep(5, data(&identity(), 3));
    assert_eq!(store.load(5), None, "written later");
    store.save();
    store.save();
    assert_eq!(folder.store().load(5), Some(data(&identity(), 3)));
    assert_eq!(folder.store().load(6), None);
    assert_eq!(folder.files().len(), 1);
    #[cfg(unix)]
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&folder.0).unwrap().permissions()) & 0o777, 0o700);
}

#[test]
fn a_header_alone_is_not_kept() {
    let folder = Folder::new("header");
    let store = folder.store();
    store.keep(5, data(&identity(), 3)[..32].to_vec());
    store.save();
    assert!(folder.files().is_empty());
}

#[test]
fn no_damage_reaches_the_driver() {
    let whole = file::encode(&data(&identity(), 3), &identity(), 5);
    assert!(file::decode(&whole, &identity(), 5).is_ok());
    for bit in 0..8 * whole.len() {
        let mut damaged = whole.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(file::decode(&damaged, &identity(), 5).is_err(), "bit {bit}");
    }
    for len in 0..whole.len() {
        assert!(file::decode(&whole[..len], &identity(), 5).is_err(), "{len} bytes");
    }
    let longer = [&whole[..], &[0]].concat();
    assert!(file::decode(&longer, &identity(), 5).is_err());
}

#[test]
fn what_others_gave_is_refused() {
    let whole = file::encode(&data(&identity(), 3), &identity(), 5);
    let others = [
        Identity { vendor: 1, ..identity() },
        Identity { device: 1, ..identity() },
        Identity { driver_version: 1, ..identity() },
        Identity { uuids: [[9; 16], [2; 16], [3; 16]], ..identity() },
        Identity { uuids: [[1; 16], [2; 16], [9; 16]], ..identity() },
    ];
    for other in others {
        assert_eq!(file::decode(&whole, &other, 5), Err("of another device or driver"));
        assert_ne!(other.digest(), identity().digest());
    }
    assert_eq!(file::decode(&whole, &identity(), 6), Err("of another pipeline"));
    // A file that is ours from end to end, around data that is not this driver's.
    let foreign = data(&Identity { uuids: [[9; 16]; 3], ..identity() }, 3);
    let wrapped = file::encode(&foreign, &identity(), 5);
    assert_eq!(file::decode(&wrapped, &identity(), 5), Err("without the header of this driver"));
    assert!(file::decode(&file::encode(&[], &identity(), 5), &identity(), 5).is_err());
}

#[test]
fn a_damaged_file_is_replaced() {
    let folder = Folder::new("replaced");
    let store = folder.store();
    store.keep(5, data(&identity(), 3));
    store.save();
    let path = folder.files().remove(0);
    fs::write(&path, b"rubbish").unwrap();
    assert_eq!(store.load(5), None);
    store.keep(5, data(&identity(), 4));
    store.save();
    assert_eq!(store.load(5), Some(data(&identity(), 4)));
}

#[test]
fn nowhere_to_write_is_no_failure() {
    let folder = Folder::new("nowhere");
    fs::write(&folder.0, b"a file where the folder should be").unwrap();
    let store = folder.store();
    store.keep(5, data(&identity(), 3));
    store.save();
    assert_eq!(store.load(5), None);
    fs::remove_file(&folder.0).unwrap();
    let off = Store::new(&PipelineCache::Off, identity());
    off.keep(5, data(&identity(), 3));
    off.save();
    assert_eq!((off.is_on(), off.load(5)), (false, None));
}

#[test]
fn many_writers_and_readers_see_whole_files() {
    let folder = Folder::new("many");
    let start = Barrier::new(8);
    thread::scope(|scope| {
        for seed in 0..8u8 {
            let (folder, start) = (&folder, &start);
            scope.spawn(move || {
                start.wait();
                for _ in 0..20 {
                    let store = folder.store();
                    store.keep(5, data(&identity(), seed));
                    store.save();
                    let found = store.load(5).expect("somebody's whole file");
                    assert!((0..8).any(|seed| found == data(&identity(), seed)));
                }
            });
        }
    });
    assert_eq!(folder.files().len(), 1, "nothing is left behind");
}

#[test]
fn the_oldest_go_first() {
    let folder = Folder::new("oldest");
    create_private(&folder.0).unwrap();
    for (age, name) in
        [(30, "a.pipeline"), (20, "b.pipeline"), (10, "c.pipeline"), (7200, "d.1-1.new"), (5, "e.1-2.new")]
    {
        let file = fs::File::create(folder.0.join(name)).unwrap();
        file.set_len(100).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
    }
    prune(&folder.0, 200).unwrap();
    let mut left: Vec<_> = folder.files().iter().map(|path| path.file_name().unwrap().to_owned()).collect();
    left.sort();
    assert_eq!(left, ["b.pipeline", "c.pipeline", "e.1-2.new"]);
}
