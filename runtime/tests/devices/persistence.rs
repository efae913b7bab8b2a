//! Pipelines: shared in a process, kept on disk between managers, compiled again where what was kept is of no use.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use gridwise_runtime::{DeviceKind, Grid, Manager, ManagerDesc, PipelineCache, Statistics};

use crate::harness::{On, Outcome, cases, ignored, open};
use crate::kernels::{Renamed, Saxpy};

cases! {
    each: the_same_module_is_compiled_once;
    once_on_vulkan: pipelines_come_back_from_disk, what_is_damaged_is_compiled_again,
        a_folder_that_cannot_be_costs_nothing, many_managers_share_a_folder,
        pipelines_can_be_saved_before_the_end;
}

/// A folder that goes with its test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gridwise-devices-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
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

/// Launches saxpy on a new manager that keeps its pipelines in a folder; what that manager did.
fn launch(folder: &Path) -> Statistics {
    launch_with(folder, true)
}

fn launch_with(folder: &Path, validation: bool) -> Statistics {
    let manager = open(ManagerDesc {
        validation,
        pipeline_cache: PipelineCache::At(folder.to_owned()),
        ..ManagerDesc::from_env().unwrap()
    });
    let x = manager.tensor(&[3.0f32; 100]).unwrap();
    let mut y = manager.tensor(&[1.0f32; 100]).unwrap();
    let sequence = manager.sequence().unwrap();
    Saxpy::dispatch(&sequence, Grid::items(100), 2.0, &x, &mut y).unwrap();
    sequence.eval().unwrap();
    assert_eq!(y.to_vec().unwrap(), [7.0; 100]);
    assert_eq!(manager.validation_messages(), Vec::<String>::new());
    manager.statistics()
}

fn the_same_module_is_compiled_once(on: On) {
    on.run(|manager| {
        let _first = manager.algorithm::<Saxpy>().unwrap();
        let _again = manager.algorithm::<Saxpy>().unwrap();
        let _other = manager.algorithm::<Renamed>().unwrap();
        let made = manager.statistics().pipelines_compiled + manager.statistics().pipelines_loaded;
        assert_eq!(made, u64::from(manager.device().kind != DeviceKind::Host));
    });
}

fn pipelines_come_back_from_disk() {
    let folder = Folder::new("back");
    let first = launch(&folder.0);
    assert_eq!((first.pipelines_compiled, first.pipelines_loaded), (1, 0));
    let kept = folder.files();
    eprintln!("{} files kept", kept.len());
    // Some drivers have nothing to keep.
    let second = launch(&folder.0);
    assert_eq!(second.pipelines_loaded, kept.len() as u64);
    assert_eq!(second.pipelines_compiled + second.pipelines_loaded, 1);
    assert_eq!(folder.files(), kept);
}

fn what_is_damaged_is_compiled_again() -> Outcome {
    let folder = Folder::new("damaged");
    launch(&folder.0);
    if folder.files().is_empty() {
        return ignored("the driver gives nothing to keep of its pipelines");
    }
    for path in folder.files() {
        let whole = fs::read(&path).unwrap();
        let flipped =
            |at: usize| whole.iter().enumerate().map(|(i, byte)| byte ^ u8::from(i == at)).collect::<Vec<_>>();
        let damaged = [Vec::new(), vec![0xff; 4096], whole[..whole.len() - 1].to_vec(), flipped(3), flipped(200)];
        for bytes in damaged {
            fs::write(&path, bytes).unwrap();
            let again = launch(&folder.0);
            assert_eq!((again.pipelines_compiled, again.pipelines_loaded), (1, 0));
            assert_eq!(launch(&folder.0).pipelines_loaded, 1, "replaced by what is right");
        }
    }
    Outcome::Done
}

fn a_folder_that_cannot_be_costs_nothing() {
    let folder = Folder::new("file");
    fs::write(&folder.0, b"").unwrap();
    let _ = launch(&folder.0.join("below"));
    let _ = fs::remove_file(&folder.0);
}

fn many_managers_share_a_folder() {
    let folder = Folder::new("many");
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                for _ in 0..2 {
                    // Not all versions of the validation layer bear managers that are made at once.
                    launch_with(&folder.0, false);
                }
            });
        }
    });
    assert!(folder.files().len() <= 1);
    assert!(folder.files().iter().all(|path| path.extension().is_some_and(|extension| extension == "pipeline")));
}

fn pipelines_can_be_saved_before_the_end() {
    let folder = Folder::new("early");
    let manager = Manager::with(ManagerDesc {
        pipeline_cache: PipelineCache::At(folder.0.clone()),
        ..ManagerDesc::from_env().unwrap()
    });
    let manager = manager.unwrap();
    let _algorithm = manager.algorithm::<Saxpy>().unwrap();
    manager.save_pipelines();
    let kept = folder.files();
    drop((_algorithm, manager));
    assert_eq!(folder.files(), kept, "nothing was left to write");
}
