//! The macro that turns one declaration of a setting into everything that depends on it.

/// Declares the settings: keys of the configuration that have one value and, usually, a command-line flag.
///
/// Each setting is declared once: documentation, key, field, type, default, the default in words, an example, and the
/// flag. From this follow its description in `SETTINGS`, how it is read from a file (`FileValues`) and
/// from the command line (`FlagValues`), which of these applies (`Settings`), and its line on the page of
/// `sundown config`. How a value is parsed and printed depends on its type alone:
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

        /// The settings that a configuration file gives, each with its place.
        #[derive(Debug, Clone, Default)]
        pub struct FileValues {
            $($(#[doc = $doc])+ pub $name: Option<WithSpan<$type>>,)+
        }

        impl FileValues {
            pub(super) fn read(fields: &mut TableReader<'_, '_>) -> Self {
                Self { $($name: <$type as SettingValue>::read($key, fields)),+ }
            }

            /// Returns the span of the value of a setting.
            pub(super) fn span_of(&self, key: &str) -> Option<Range<usize>> {
                match key {
                    $($key => self.$name.as_ref().map(|given| given.span.clone()),)+
                    _ => None,
                }
            }
        }

        /// The settings that the command line gives.
        #[derive(Debug, Clone, Default)]
        pub struct FlagValues {
            $($(#[doc = $doc])+ pub $name: Option<Setting<$type>>,)+
        }

        impl FlagValues {
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

        /// The value of every setting, from the command line, the configuration or the default, in this order.
        ///
        /// Paths are relative to the working directory.
        #[derive(Debug, Clone)]
        pub struct Settings {
            $($(#[doc = $doc])+ pub $name: Setting<$type>,)+
        }

        impl Settings {
            /// Merges the command line, the configuration in `folder` and the defaults.
            pub(super) fn new(flags: FlagValues, values: FileValues, folder: Option<&Path>) -> Self {
                Self {
                    $($name: resolve(flags.$name, values.$name, folder, || $default),)+
                }
            }

            /// Returns the paths that the configuration gives, by setting.
            pub(super) fn paths_of_file(&self) -> Vec<SettingPaths<'_>> {
                let all = [$(($key, &self.$name.source, self.$name.value.paths())),+];
                all.into_iter()
                    .filter(|(_, source, _)| matches!(source, SettingSource::File(_)))
                    .map(|(key, _, paths)| SettingPaths { key, paths })
                    .collect()
            }

            pub(super) fn rows(&self) -> Vec<SettingRow<'_>> {
                vec![$(SettingRow {
                    name: $key,
                    value: self.$name.value.to_toml(),
                    source: &self.$name.source,
                }),+]
            }
        }
    };
}

pub(super) use settings;
