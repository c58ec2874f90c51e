//! The macro that turns one declaration of a setting into everything that depends on it.

/// Declares the settings: keys of the configuration that have one value and, usually, a command-line flag.
///
/// Each setting is declared once: documentation, key, field, type, default, the default in words, an example, and the
/// flag. From this follow its description in `SETTINGS`, how it is read from a file and from the
/// command line (`GivenSettings`), which of these applies (`ResolvedConfig`), and its line on the page of `sundown config`. How a value is parsed and printed depends on its type alone:
/// [`SettingValue`](super::values::SettingValue).
macro_rules! settings {
    ($(
        $(#[doc = $doc:literal])+
        $key:literal => $name:ident: $type:ty {
            default: $default:expr,
            shown_default: $shown_default:literal,
            example: $example:literal,
            flag: $flag:expr $(,)?
        }
    )+) => {
        pub const SETTINGS: &[ConfigKey] = &[$(ConfigKey {
            name: $key,
            key_type: <$type as SettingValue>::TYPE,
            default: Some($shown_default),
            doc: concat!($($doc),+).trim_ascii(),
            example: $example,
            flag: $flag,
        }),+];

        /// The settings that the command line gives, or a configuration file.
        #[derive(Debug, Clone, Default)]
        pub struct GivenSettings {
            $($(#[doc = $doc])+ pub $name: Option<Setting<$type>>,)+
        }

        impl GivenSettings {
            /// Reads the settings of a configuration file.
            pub(super) fn read(fields: &mut TableReader<'_, '_>) -> Self {
                Self { $($name: <$type as SettingValue>::read($key, fields).map(Setting::from)),+ }
            }

            /// Sets `key` to the values that follow `flag`, or to none; the error says what is wrong with them.
            pub fn set(
                &mut self,
                key: &str,
                flag: &'static str,
                values: &[OsString],
            ) -> Result<(), String> {
                match key {
                    $($key => {
                        let value = <$type as SettingValue>::parse(values)?;
                        let source = SettingSource::CommandLine(flag);
                        self.$name = Some(Setting { value, source });
                    })+
                    _ => return Err(format!("there is no setting `{key}`")),
                }
                Ok(())
            }
        }

        /// The settings of a run, and the configuration from which some of them come.
        ///
        /// Each is from the command line, the configuration or the default, in this order. Paths are relative to the working
        /// directory.
        #[derive(Debug, Clone)]
        pub struct ResolvedConfig {
            /// The configuration, if there is one.
            pub file: Option<ConfigFile>,
            /// Where the files may be that other files name.
            pub references: ReferenceScope,
            $($(#[doc = $doc])+ pub $name: Setting<$type>,)+
        }

        impl ResolvedConfig {
            /// Merges the command line, the configuration and the defaults.
            pub fn new(flags: GivenSettings, file: Option<ConfigFile>) -> Self {
                let given = file.as_ref().map(|file| file.config.values.clone()).unwrap_or_default();
                let folder = file.as_ref().and_then(|file| file.path.parent()).unwrap_or(Path::new(""));
                Self {
                    $($name: flags.$name
                        .or_else(|| Some(relative_to(given.$name?, folder)))
                        .unwrap_or_else(|| Setting { value: $default, source: SettingSource::Default }),)+
                    references: ReferenceScope::default(),
                    file,
                }
            }

            pub(super) fn rows(&self) -> Vec<SettingRow<'_>> {
                vec![$(SettingRow {
                    name: $key,
                    value: self.$name.value.to_toml(),
                    paths: self.$name.value.paths(),
                    source: &self.$name.source,
                }),+]
            }
        }
    };
}

pub(super) use settings;
