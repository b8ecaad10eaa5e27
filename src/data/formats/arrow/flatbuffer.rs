//! Flatbuffers, in which an Arrow file describes itself: tables whose fields are found by number, every place checked.

/// A table at a place in the bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// A list at a place: where its first element is, and how many there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct List<'a> {
    bytes: &'a [u8],
    at: usize,
    pub(super) length: usize,
}

fn chunk<const SIZE: usize>(bytes: &[u8], at: usize) -> Option<[u8; SIZE]> {
    bytes.get(at..at.checked_add(SIZE)?)?.try_into().ok()
}

impl<'a> Table<'a> {
    /// The table that the bytes are about.
    pub(super) fn root(bytes: &'a [u8]) -> Option<Table<'a>> {
        let at = u32::from_le_bytes(chunk(bytes, 0)?) as usize;
        (at < bytes.len()).then_some(Table { bytes, at })
    }

    /// Where a field is; nothing if it has its default.
    fn field(&self, number: usize) -> Option<usize> {
        let back = i32::from_le_bytes(chunk(self.bytes, self.at)?);
        let places = usize::try_from(self.at as i64 - i64::from(back)).ok()?;
        let size = usize::from(u16::from_le_bytes(chunk(self.bytes, places)?));
        let entry = 4 + 2 * number;
        if entry + 2 > size {
            return None;
        }
        let offset = usize::from(u16::from_le_bytes(chunk(self.bytes, places + entry)?));
        (offset > 0).then_some(self.at + offset)
    }

    /// Where the thing is that a field points to.
    fn pointed(&self, number: usize) -> Option<usize> {
        let at = self.field(number)?;
        at.checked_add(u32::from_le_bytes(chunk(self.bytes, at)?) as usize)
    }

    pub(super) fn byte(&self, number: usize) -> Option<u8> {
        self.bytes.get(self.field(number)?).copied()
    }

    pub(super) fn short(&self, number: usize) -> Option<i16> {
        Some(i16::from_le_bytes(chunk(self.bytes, self.field(number)?)?))
    }

    pub(super) fn int(&self, number: usize) -> Option<i32> {
        Some(i32::from_le_bytes(chunk(self.bytes, self.field(number)?)?))
    }

    pub(super) fn long(&self, number: usize) -> Option<i64> {
        Some(i64::from_le_bytes(chunk(self.bytes, self.field(number)?)?))
    }

    pub(super) fn table(&self, number: usize) -> Option<Table<'a>> {
        let at = self.pointed(number)?;
        (at < self.bytes.len()).then_some(Table { bytes: self.bytes, at })
    }

    pub(super) fn text(&self, number: usize) -> Option<&'a str> {
        let list = self.list(number)?;
        std::str::from_utf8(self.bytes.get(list.at..list.at.checked_add(list.length)?)?).ok()
    }

    pub(super) fn list(&self, number: usize) -> Option<List<'a>> {
        let at = self.pointed(number)?;
        let length = u32::from_le_bytes(chunk(self.bytes, at)?) as usize;
        // Every element takes a byte at least.
        (length <= self.bytes.len()).then_some(List { bytes: self.bytes, at: at + 4, length })
    }
}

impl<'a> List<'a> {
    /// A table of a list of tables.
    pub(super) fn table(&self, place: usize) -> Option<Table<'a>> {
        let at = self.at + 4 * place;
        let at = at.checked_add(u32::from_le_bytes(chunk(self.bytes, at)?) as usize)?;
        (place < self.length && at < self.bytes.len()).then_some(Table { bytes: self.bytes, at })
    }

    /// Two numbers of a list of pairs of them.
    pub(super) fn pair(&self, place: usize) -> Option<(usize, usize)> {
        let number = |at: usize| usize::try_from(i64::from_le_bytes(chunk(self.bytes, at)?)).ok();
        let at = self.at + 16 * place;
        if place >= self.length {
            return None;
        }
        Some((number(at)?, number(at + 8)?))
    }

    /// A number of a list of them.
    pub(super) fn long(&self, place: usize) -> Option<i64> {
        if place >= self.length {
            return None;
        }
        Some(i64::from_le_bytes(chunk(self.bytes, self.at + 8 * place)?))
    }
}
