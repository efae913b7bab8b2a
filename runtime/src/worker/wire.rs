//! The protocol between a worker and its parent: numbers and bytes with their lengths, in the machine's own order, as
//! both are one program. The parent believes no length that a worker tells.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use crate::core::grid::{Grid, Unit};
use crate::record::module::{Constant, SpirvCode, SpirvDesc};

/// The first bytes of a worker.
const GREETING: [u8; 8] = *b"gridwork";

/// The longest reason of a failure that is read.
const MOST_TEXT: usize = 1 << 16;

/// The greeting of a worker.
pub(super) struct Hello;

impl Hello {
    pub(super) fn write(line: &mut impl Write) -> io::Result<()> {
        line.write_all(&GREETING)
    }

    pub(super) fn read(line: &mut impl Read) -> io::Result<()> {
        let mut found = [0; GREETING.len()];
        line.read_exact(&mut found)?;
        if found == GREETING { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
    }
}

/// A line on which everything has to be said before some time.
pub(super) struct Timed<'a> {
    pub(super) line: &'a UnixStream,
    /// None where that is too far away to be told.
    pub(super) until: Option<Instant>,
}

impl Timed<'_> {
    fn left(&self) -> io::Result<Option<Duration>> {
        let Some(until) = self.until else { return Ok(None) };
        match until.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(io::ErrorKind::TimedOut.into()),
            left => Ok(Some(left)),
        }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.line.set_read_timeout(self.left()?)?;
        self.line.read(to)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.line.set_write_timeout(self.left()?)?;
        self.line.write(from)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A launch.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Request {
    pub(super) name: String,
    pub(super) words: Vec<u8>,
    pub(super) entry_point: Option<String>,
    pub(super) constants: Vec<(u32, Constant)>,
    /// In items, not in workgroups.
    pub(super) in_items: bool,
    pub(super) size: [i128; 3],
    pub(super) buffers: Vec<Sent>,
    pub(super) push: Option<Vec<u8>>,
}

/// A buffer argument.
#[derive(Debug, PartialEq)]
pub(super) struct Sent {
    pub(super) binding: u32,
    pub(super) is_written: bool,
    /// Bytes of an element.
    pub(super) stride: u32,
    pub(super) bytes: Vec<u8>,
}

impl Request {
    pub(super) fn new(module: &SpirvDesc<'_>, grid: Grid) -> Self {
        let words = match module.code {
            SpirvCode::Words(words) => words.iter().flat_map(|word| word.to_ne_bytes()).collect(),
            SpirvCode::Bytes(bytes) => bytes.to_vec(),
        };
        Self {
            name: module.name.to_owned(),
            words,
            entry_point: module.entry_point.map(str::to_owned),
            constants: module.constants.to_vec(),
            in_items: grid.unit == Unit::Items,
            size: grid.size,
            buffers: Vec::new(),
            push: None,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn buffer(&mut self, binding: u32, is_written: bool, stride: usize, bytes: Vec<u8>) {
        self.buffers.push(Sent { binding, is_written, stride: stride as u32, bytes });
    }

    pub(super) fn write(&self, line: &mut impl Write) -> io::Result<()> {
        let mut head = Vec::new();
        put(&mut head, self.name.as_bytes());
        put_option(&mut head, self.entry_point.as_deref().map(str::as_bytes));
        head.extend((self.constants.len() as u64).to_ne_bytes());
        for (number, constant) in &self.constants {
            let (kind, bits) = constant.parts();
            head.extend(number.to_ne_bytes());
            head.push(kind);
            head.extend(bits.to_ne_bytes());
        }
        head.push(self.in_items.into());
        self.size.iter().for_each(|size| head.extend(size.to_ne_bytes()));
        put_option(&mut head, self.push.as_deref());
        put(&mut head, &self.words);
        head.extend((self.buffers.len() as u64).to_ne_bytes());
        line.write_all(&head)?;
        for Sent { binding, is_written, stride, bytes } in &self.buffers {
            line.write_all(&binding.to_ne_bytes())?;
            line.write_all(&[(*is_written).into()])?;
            line.write_all(&stride.to_ne_bytes())?;
            line.write_all(&(bytes.len() as u64).to_ne_bytes())?;
            line.write_all(bytes)?;
        }
        Ok(())
    }

    /// Of a parent, which is believed.
    pub(super) fn read(line: &mut impl Read) -> io::Result<Self> {
        let name = text(take(line)?);
        let entry_point = take_option(line)?.map(text);
        let constant = |line: &mut _| -> io::Result<_> {
            let (number, [kind], bits) = (u32::from_ne_bytes(number(line)?), number(line)?, number(line)?);
            let constant = Constant::of_parts(kind, u64::from_ne_bytes(bits));
            Ok((number, constant.ok_or(io::ErrorKind::InvalidData)?))
        };
        let count = u64::from_ne_bytes(number(line)?);
        let constants = (0..count).map(|_| constant(line)).collect::<io::Result<_>>()?;
        let [in_items] = number(line)?;
        let mut size = [0; 3];
        for side in &mut size {
            *side = i128::from_ne_bytes(number(line)?);
        }
        let (push, words) = (take_option(line)?, take(line)?);
        let count = u64::from_ne_bytes(number(line)?);
        let buffer = |line: &mut _| -> io::Result<_> {
            let (binding, [is_written]) = (u32::from_ne_bytes(number(line)?), number(line)?);
            let stride = u32::from_ne_bytes(number(line)?);
            Ok(Sent { binding, is_written: is_written != 0, stride, bytes: take(line)? })
        };
        let buffers = (0..count).map(|_| buffer(line)).collect::<io::Result<_>>()?;
        Ok(Self { name, words, entry_point, constants, in_items: in_items != 0, size, buffers, push })
    }
}

/// The answer of a worker to a request: twice that it went well, after loading and after running, or once that it did
/// not.
#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    Well,
    Failed(String),
}

impl Answer {
    pub(super) fn write(&self, line: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Well => line.write_all(&[1]),
            Self::Failed(cause) => {
                let mut said = vec![0];
                put(&mut said, &cause.as_bytes()[..cause.len().min(MOST_TEXT)]);
                line.write_all(&said)
            }
        }
    }

    pub(super) fn read(line: &mut impl Read) -> io::Result<Self> {
        match number(line)? {
            [1] => Ok(Self::Well),
            [0] => match usize::try_from(u64::from_ne_bytes(number(line)?)) {
                Ok(len) if len <= MOST_TEXT => Ok(Self::Failed(text(read_bytes(line, len)?))),
                _ => Err(io::ErrorKind::InvalidData.into()),
            },
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

/// So many bytes.
pub(super) fn read_bytes(line: &mut impl Read, len: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; len];
    line.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn put(to: &mut Vec<u8>, bytes: &[u8]) {
    to.extend((bytes.len() as u64).to_ne_bytes());
    to.extend(bytes);
}

fn put_option(to: &mut Vec<u8>, bytes: Option<&[u8]>) {
    to.push(bytes.is_some().into());
    if let Some(bytes) = bytes {
        put(to, bytes);
    }
}

fn take(line: &mut impl Read) -> io::Result<Vec<u8>> {
    let len = u64::from_ne_bytes(number(line)?);
    read_bytes(line, usize::try_from(len).map_err(io::Error::other)?)
}

fn take_option(line: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    match number(line)? {
        [0] => Ok(None),
        _ => take(line).map(Some),
    }
}

fn number<const N: usize>(line: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    line.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_answers_come_as_they_were_sent() {
        let constants = [(0, Constant::F32(1.5)), (7, Constant::Bool(true)), (9, Constant::I8(-1))];
        let words = [3, 4, u32::MAX];
        let code = SpirvCode::Words(&words);
        let module = SpirvDesc { name: "blür", code, entry_point: Some("main"), constants: &constants };
        let mut request = Request::new(&module, Grid::items((5, 6)));
        request.buffer(3, true, 12, vec![1; 24]);
        request.buffer(0, false, 4, Vec::new());
        let mut said = Vec::new();
        request.write(&mut said).unwrap();
        assert_eq!(Request::read(&mut &said[..]).unwrap(), request);
        assert!(Request::read(&mut &said[..said.len() - 1]).is_err());
        for answer in [Answer::Well, Answer::Failed("no".to_owned())] {
            let mut said = Vec::new();
            answer.write(&mut said).unwrap();
            assert_eq!(Answer::read(&mut &said[..]).unwrap(), answer);
        }
        let long = [&[0][..], &u64::MAX.to_ne_bytes()].concat();
        assert!(Answer::read(&mut &long[..]).is_err(), "a length that nobody believes");
    }
}
