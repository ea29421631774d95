//! What a service says about itself.

use ruststream_core::{AppId, Contact, ExternalDocs, License, Tag};

/// The description of a service: logged at startup and the head of its generated document.
///
/// ```
/// use ruststream_runtime::AppInfo;
///
/// let info = AppInfo::new("depot", "1.4.0").description("Follows parcels through the depots.");
/// assert_eq!(info.title, "depot");
/// ```
#[non_exhaustive]
#[derive(Debug, Clone)]
pub struct AppInfo {
    /// The service's name.
    pub title: String,
    /// The service's own version.
    pub version: String,
    /// What the service does, in prose.
    pub description: Option<String>,
    /// An identifier that is unique among services.
    pub id: Option<AppId>,
    /// Where the terms of its use are.
    pub terms_of_service: Option<String>,
    /// Whom to ask about it; empty until set.
    pub contact: Contact,
    /// The licence of its interface.
    pub license: Option<License>,
    /// Tags to group services by, in the order they were added.
    pub tags: Vec<Tag>,
    /// Documentation kept elsewhere.
    pub external_docs: Option<ExternalDocs>,
}

impl AppInfo {
    /// A service of that name and version.
    #[must_use]
    pub fn new(title: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            version: version.into(),
            description: None,
            id: None,
            terms_of_service: None,
            contact: Contact::default(),
            license: None,
            tags: Vec::new(),
            external_docs: None,
        }
    }

    /// Says what the service does.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Gives the service an identifier.
    #[must_use]
    pub fn id(mut self, id: AppId) -> Self {
        self.id = Some(id);
        self
    }

    /// Names the address of the terms of use.
    #[must_use]
    pub fn terms_of_service(mut self, url: impl Into<String>) -> Self {
        self.terms_of_service = Some(url.into());
        self
    }

    /// Names whom to ask.
    #[must_use]
    pub fn contact(mut self, contact: Contact) -> Self {
        self.contact = contact;
        self
    }

    /// Names the licence.
    #[must_use]
    pub fn license(mut self, license: License) -> Self {
        self.license = Some(license);
        self
    }

    /// Adds one tag after those that are there.
    #[must_use]
    pub fn tag(mut self, tag: Tag) -> Self {
        self.tags.push(tag);
        self
    }

    /// Points to documentation kept elsewhere.
    #[must_use]
    pub fn external_docs(mut self, docs: ExternalDocs) -> Self {
        self.external_docs = Some(docs);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RUN-001
    #[test]
    fn a_new_description_holds_nothing_but_title_and_version() {
        let info = AppInfo::new("depot", String::from("1.0.0"));

        assert_eq!(
            (info.title.as_str(), info.version.as_str()),
            ("depot", "1.0.0")
        );
        assert_eq!(info.contact, Contact::default());
        assert!(info.description.is_none() && info.id.is_none() && info.terms_of_service.is_none());
        assert!(info.license.is_none() && info.tags.is_empty() && info.external_docs.is_none());
    }

    // RUN-001
    #[test]
    fn every_setter_but_tag_replaces_the_earlier_value() {
        let id = |id: &str| id.parse::<AppId>().unwrap();
        let info = AppInfo::new("depot", "1.0.0")
            .description("first")
            .description("second")
            .id(id("urn:depot:1"))
            .id(id("urn:depot:2"))
            .terms_of_service("https://depot.example/old")
            .terms_of_service("https://depot.example/terms")
            .contact(Contact::default().name("Ada").email("ada@depot.example"))
            .contact(Contact::default().name("Grace"))
            .license(License::new("MIT"))
            .license(License::new("Apache-2.0"))
            .tag(Tag::new("parcels"))
            .tag(Tag::new("depots"))
            .external_docs(ExternalDocs::new("https://depot.example/old"))
            .external_docs(ExternalDocs::new("https://depot.example/docs"));

        assert_eq!(info.description.as_deref(), Some("second"));
        assert_eq!(info.id, Some(id("urn:depot:2")));
        assert_eq!(
            info.terms_of_service.as_deref(),
            Some("https://depot.example/terms")
        );
        assert_eq!(info.contact, Contact::default().name("Grace"));
        assert_eq!(info.license, Some(License::new("Apache-2.0")));
        assert_eq!(info.tags, [Tag::new("parcels"), Tag::new("depots")]);
        assert_eq!(
            info.external_docs,
            Some(ExternalDocs::new("https://depot.example/docs"))
        );
    }
}
