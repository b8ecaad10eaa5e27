//! What the tour prints, as it goes or as one JSON object at the end.

use std::collections::BTreeMap;

use gristmill::{DeviceInfo, Profile};
use serde::Serialize;

use crate::arguments::GlobalArgs;
use crate::report::{hanging, paragraph, print, print_json, profile, table_of};

/// Letters of what a fact is about.
const NAME: usize = 28;

/// The tour so far.
#[derive(Serialize)]
pub struct Page {
    #[serde(skip)]
    json: bool,
    devices: Vec<DeviceInfo>,
    sections: Vec<Section>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<Profile>,
}

/// What stands under a heading.
#[derive(Serialize)]
struct Section {
    title: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    facts: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rows: Vec<BTreeMap<String, String>>,
}

impl Page {
    pub fn new(global: &GlobalArgs, devices: Vec<DeviceInfo>) -> Page {
        Page { json: global.json, devices, sections: vec![], profile: None }
    }

    pub fn devices(&self) -> &[DeviceInfo] {
        &self.devices
    }

    /// Begins a section.
    pub fn section(&mut self, title: &str) {
        self.say(&format!("\n{}\n", paragraph(title)));
        self.sections.push(Section { title: title.to_string(), lines: vec![], facts: BTreeMap::new(), rows: vec![] });
    }

    /// Lines of text.
    pub fn text(&mut self, text: &str) {
        self.say(&text.lines().map(paragraph).collect::<Vec<_>>().join("\n"));
        if let Some(section) = self.sections.last_mut() {
            section.lines.extend(text.lines().map(str::to_string));
        }
    }

    /// Something that was found.
    pub fn fact(&mut self, name: &str, found: String) {
        self.say(&hanging(&format!("{name:<NAME$} "), &found));
        if let Some(section) = self.sections.last_mut() {
            section.facts.insert(name.to_string(), found);
        }
    }

    /// A table.
    pub fn table(&mut self, header: &[&str], rows: Vec<Vec<String>>) {
        self.say(&table_of(header, &rows));
        if let Some(section) = self.sections.last_mut() {
            let named = |row: Vec<String>| header.iter().map(|name| name.to_string()).zip(row).collect();
            section.rows.extend(rows.into_iter().map(named));
        }
    }

    /// The engine's counts.
    pub fn profile(&mut self, profile: Profile) {
        self.say(&profile::describe(&profile));
        self.profile = Some(profile);
    }

    /// Prints what was not printed on the way.
    pub fn finish(self) {
        if self.json {
            print_json(&self);
        }
    }

    /// Prints, unless all is printed at the end.
    pub fn say(&self, text: &str) {
        if !self.json {
            print(text);
        }
    }
}
