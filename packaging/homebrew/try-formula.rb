# Runs the steps of a formula without Homebrew: downloads and verifies its archive for this machine, installs it below a
# folder, and runs its test.
# Usage: ruby packaging/homebrew/try-formula.rb FORMULA PREFIX

require "digest"
require "fileutils"
require "open3"
require "pathname"
require "rbconfig"
require "tmpdir"
require "uri"

# The part of Homebrew's class that the formula uses.
class Formula
  class << self
    attr_reader :tested, :fields

    def on_macos(&block) = on(RUBY_PLATFORM.include?("darwin"), block)
    def on_linux(&block) = on(RUBY_PLATFORM.include?("linux"), block)
    def on_arm(&block) = on(RbConfig::CONFIG["host_cpu"].match?(/arm|aarch/), block)
    def on_intel(&block) = on(RbConfig::CONFIG["host_cpu"] == "x86_64", block)

    def on(here, block) = (instance_eval(&block) if here)

    def test(&block) = @tested = block

    %i[desc homepage version license url sha256].each do |name|
      define_method(name) { |value| (@fields ||= {})[name] = value }
    end
  end

  attr_reader :prefix, :testpath

  def initialize(prefix, testpath)
    @prefix = Pathname.new(prefix)
    @testpath = Pathname.new(testpath)
  end

  def version = self.class.fields.fetch(:version)
  def bin = prefix/"bin"
  def man1 = prefix/"share/man/man1"
  def bash_completion = prefix/"etc/bash_completion.d"
  def zsh_completion = prefix/"share/zsh/site-functions"
  def fish_completion = prefix/"share/fish/vendor_completions.d"

  def shell_output(command, wanted = 0)
    output, status = Open3.capture2(command, chdir: testpath)
    raise "#{command} ended with #{status.exitstatus}, not #{wanted}" unless status.exitstatus == wanted

    output
  end

  def assert_match(text, output)
    raise "the output does not contain #{text}" unless output.include?(text)
  end
end

# Homebrew's extension: takes a file, a list of files, or a file with its new name.
class Pathname
  def install(files)
    mkpath
    names = files.is_a?(Hash) ? files.to_a : Array(files).map { |file| [file, File.basename(file)] }
    raise "there is nothing to install in #{self}" if names.empty?

    names.each { |from, to| FileUtils.install(from, self/to, mode: File.stat(from).mode) }
  end
end

formula, prefix = ARGV
load File.expand_path(formula)
fields = Sundown.fields
archive = URI(fields.fetch(:url)).path
raise "the SHA-256 of #{archive} is wrong" unless Digest::SHA256.file(archive).hexdigest == fields.fetch(:sha256)

Dir.mktmpdir do |scratch|
  system("tar", "-xzf", archive, "--strip-components", "1", "-C", scratch, exception: true)
  sundown = Sundown.new(File.expand_path(prefix), Dir.mktmpdir("test", scratch))
  Dir.chdir(scratch) { sundown.install }
  sundown.instance_eval(&Sundown.tested)
end
