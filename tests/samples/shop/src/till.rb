require 'json'

module Shop
  # Takes money.
  class Till
    attr_reader :coins

    def initialize(name)
      @name = name
      @coins = []
    end

    def take(cents)
      raise ArgumentError, "#{cents} is no coin" unless cents.positive?

      @coins << cents
      self
    end

    def sum
      coins.each_with_index.map { |coin, _| coin }.reduce(0, :+)
    end
  end
end

puts Shop::Till.new('front').take(5).sum
